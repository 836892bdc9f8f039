/**
 * Lets the emulator live under the page's policy, which permits no inline styles and is not loosened for it.
 *
 * The emulator writes its colours and measures into `<style>` elements and into `style` attributes of `<span>`s, which the
 * policy refuses. While there is an emulator, both are made in another way: the same rules are given to the document as
 * constructed style sheets, and the same declarations through the style object. Script that the policy has let in does
 * that, and nothing of it is read from markup. The emulator takes another document than the page's for some of its
 * elements only, so it is the page's that makes them differently.
 */
type Make = (this: Document, name: string, options?: ElementCreationOptions) => HTMLElement;

const make = Object.getOwnPropertyDescriptor(Document.prototype, "createElement")?.value as Make;
const sheets = new Set<CSSStyleSheet>();
let users = 0;

/** Until what it gives back is called. */
export function permitEmulatorStyles(): () => void {
  users += 1;
  if (users === 1)
    Object.defineProperty(document, "createElement", { value: createElement, configurable: true });
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    users -= 1;
    if (users > 0) return;
    Reflect.deleteProperty(document, "createElement");
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
    sheets.clear();
  };
}

function createElement(this: Document, name: string, options?: ElementCreationOptions): HTMLElement {
  if (name === "style") return styleElement(make.call(this, "span"));
  const element = make.call(this, name, options);
  if (name === "span") element.setAttribute = setAttribute;
  return element;
}

/** Looks to the emulator like a `<style>`: it is put somewhere, written to and removed. */
function styleElement(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.add(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  element.hidden = true;
  let text = "";
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (value: string) => {
      text = value;
      sheet.replaceSync(value);
    },
  });
  return element;
}

/** Shared by all: there may be thousands of them. */
function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

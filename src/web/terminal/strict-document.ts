/**
 * Lets the emulator live under the page's policy, which permits no inline styles and is not loosened for it.
 *
 * The emulator writes its colours and measures into `<style>` elements and `style` attributes, which the policy refuses.
 * The same rules are given to the document as constructed style sheets, and the same declarations through the style
 * object: both are made by script that the policy has let in, and neither is read from markup.
 */
export interface StrictDocument {
  /** For the emulator's `documentOverride`. */
  readonly document: Document;
  /** Runs something that makes elements with the real document. */
  readonly during: (run: () => void) => void;
  /** Takes its style sheets away. */
  readonly dispose: () => void;
}

// The page's document may have another one for a moment.
const original = Object.getOwnPropertyDescriptor(Document.prototype, "createElement")?.value as (
  this: Document,
  name: string,
  options?: ElementCreationOptions,
) => HTMLElement;

export function createStrictDocument(real: Document): StrictDocument {
  const sheets = new Set<CSSStyleSheet>();
  const make = (name: string, options?: ElementCreationOptions) => original.call(real, name, options);
  const createElement = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name === "style") return styleElement(make("span"), real, sheets);
    const element = make(name, options);
    if (name === "span") element.setAttribute = setAttribute;
    return element;
  };
  const document = new Proxy(real, {
    get(target, key) {
      if (key === "createElement") return createElement;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return {
    document,
    during(run) {
      // The emulator makes one of its style elements with the page's own document, whatever it was given.
      Object.defineProperty(real, "createElement", { value: createElement, configurable: true });
      try {
        run();
      } finally {
        Reflect.deleteProperty(real, "createElement");
      }
    },
    dispose() {
      real.adoptedStyleSheets = real.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
      sheets.clear();
    },
  };
}

/** Looks to the emulator like a `<style>`: it is put somewhere, written to and removed. */
function styleElement(element: HTMLElement, real: Document, sheets: Set<CSSStyleSheet>): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.add(sheet);
  real.adoptedStyleSheets = [...real.adoptedStyleSheets, sheet];
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

import { FitAddon } from "@xterm/addon-fit";
import { Terminal, type ITheme } from "@xterm/xterm";
import { safeHref } from "../session/text/markdown-inline.js";
import { permitEmulatorStyles } from "./emulator-styles.js";
import { TerminalLink, type LinkState } from "./terminal-link.js";

export interface ScreenView {
  readonly link: LinkState;
  readonly isOwner: boolean;
  readonly cols: number;
  readonly rows: number;
  /** Keys were pressed that could not be sent. */
  readonly isDeaf: boolean;
}

/** What came and is not drawn yet. */
const UNDRAWN_BYTES_MAX = 4 * 1024 * 1024;
const SCROLLBACK_LINES = 5_000;
const SCALE_MIN = 0.45;

/** An emulator and its link, outside of React: they live as long as the element that they are in. */
export class TerminalScreen {
  view: ScreenView = { link: { type: "connecting" }, isOwner: false, cols: 120, rows: 40, isDeaf: false };
  readonly terminal: Terminal;
  private readonly forbidStyles = permitEmulatorStyles();
  private readonly fit = new FitAddon();
  private readonly link: TerminalLink;
  private readonly resized: ResizeObserver;
  private undrawnBytes = 0;
  /** Whether this page is to decide the size, as soon as it can. */
  private wantsSize = false;

  constructor(
    private readonly place: HTMLElement,
    url: string,
    private readonly changed: (view: ScreenView) => void,
  ) {
    this.terminal = new Terminal({
      cols: this.view.cols,
      rows: this.view.rows,
      scrollback: SCROLLBACK_LINES,
      fontFamily: getComputedStyle(place).getPropertyValue("--mono"),
      fontSize: 13,
      cursorBlink: false,
      theme: themeOf(place),
      // What a program prints opens nothing by itself, and nothing but pages.
      linkHandler: { activate: (event, text) => openLink(event, text), allowNonHttpProtocols: false },
    });
    this.terminal.loadAddon(this.fit);
    this.terminal.open(place);
    this.terminal.onData((text) => this.type(text));
    this.terminal.onBinary((text) => this.type(text));
    this.link = new TerminalLink({
      url,
      onFrame: (frame) => {
        if (frame.type === "snapshot") this.showSnapshot(frame.data, frame.cols, frame.rows);
        else if (frame.type === "size") this.showSize(frame.cols, frame.rows, frame.owner);
      },
      onBytes: (bytes) => this.draw(bytes),
      onState: (state) => this.show({ link: state }),
    });
    this.resized = new ResizeObserver(() => this.adapt());
    this.resized.observe(place.parentElement ?? place);
  }

  type(text: string): void {
    const isSent = this.link.type(text);
    if (this.view.isDeaf === isSent) this.show({ isDeaf: !isSent });
  }

  paste(text: string): void {
    this.terminal.paste(text);
    this.terminal.focus();
  }

  /** What is selected, or all that is seen. */
  shownText(): string {
    if (this.terminal.hasSelection()) return this.terminal.getSelection();
    const { active } = this.terminal.buffer;
    const lines = Array.from(
      { length: this.terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? "",
    );
    return lines.join("\n").trimEnd();
  }

  /** From now on the terminal is as large as this page shows it. */
  takeSize(): void {
    this.wantsSize = true;
    this.askForSize();
  }

  restyle(): void {
    this.terminal.options.theme = themeOf(this.place);
  }

  dispose(): void {
    this.resized.disconnect();
    this.link.close();
    this.terminal.dispose();
    this.forbidStyles();
  }

  private show(part: Partial<ScreenView>): void {
    this.view = { ...this.view, ...part };
    this.changed(this.view);
  }

  private showSnapshot(data: string, cols: number, rows: number): void {
    this.terminal.reset();
    this.terminal.resize(cols, rows);
    this.terminal.write(data);
    this.show({ isDeaf: false });
    if (this.wantsSize) this.askForSize();
  }

  private showSize(cols: number, rows: number, isOwner: boolean): void {
    if (cols !== this.terminal.cols || rows !== this.terminal.rows) this.terminal.resize(cols, rows);
    // Somebody else has asked since.
    if (!isOwner && this.view.isOwner) this.wantsSize = false;
    this.show({ cols, rows, isOwner });
    this.adapt();
  }

  private draw(bytes: Uint8Array): void {
    this.undrawnBytes += bytes.length;
    if (this.undrawnBytes > UNDRAWN_BYTES_MAX) {
      this.undrawnBytes -= bytes.length;
      this.link.restart();
      return;
    }
    this.terminal.write(bytes, () => {
      this.undrawnBytes -= bytes.length;
    });
  }

  private adapt(): void {
    if (this.wantsSize && this.view.isOwner) this.askForSize();
    this.scale();
  }

  private askForSize(): void {
    this.place.style.transform = "";
    const proposed = this.fit.proposeDimensions();
    if (!proposed || Number.isNaN(proposed.cols) || proposed.cols < 2) return;
    const { cols, rows } = {
      cols: Math.min(500, proposed.cols),
      rows: Math.max(1, Math.min(200, proposed.rows)),
    };
    const isSame = this.view.isOwner && cols === this.terminal.cols && rows === this.terminal.rows;
    if (!isSame) this.link.resize({ cols, rows });
  }

  /** Who does not decide the size shows all of it, smaller. */
  private scale(): void {
    const screen = this.place.querySelector<HTMLElement>(".xterm-screen");
    const frame = this.place.parentElement;
    if (!screen || !frame) return;
    const factor = this.view.isOwner
      ? 1
      : Math.min(1, frame.clientWidth / screen.offsetWidth, frame.clientHeight / screen.offsetHeight);
    const scale = Math.max(SCALE_MIN, factor);
    this.place.style.transform = scale === 1 ? "" : `scale(${scale})`;
    this.place.style.width = this.view.isOwner ? "100%" : `${screen.offsetWidth}px`;
    this.place.style.height = this.view.isOwner ? "100%" : `${screen.offsetHeight}px`;
  }
}

function openLink(event: MouseEvent, text: string): void {
  const href = safeHref(text);
  if (href !== null && (event.ctrlKey || event.metaKey)) window.open(href, "_blank", "noopener,noreferrer");
}

function themeOf(place: HTMLElement): ITheme {
  const style = getComputedStyle(place);
  const { color, backgroundColor } = style;
  const isDark = isDarkColour(backgroundColor);
  return {
    background: backgroundColor,
    foreground: color,
    cursor: color,
    cursorAccent: backgroundColor,
    selectionBackground: isDark ? "#34507f" : "#c7d7fb",
    ...(isDark ? {} : LIGHT),
  };
}

/** The usual sixteen are made for a dark ground. */
const LIGHT: ITheme = {
  ...{ black: "#1a1c1e", red: "#b3261e", green: "#1d6b3d", yellow: "#7a5200", blue: "#2353d1" },
  ...{ magenta: "#8a2a8f", cyan: "#0b6a75", white: "#5c6166" },
  ...{ brightBlack: "#666b71", brightRed: "#d23b30", brightGreen: "#2a7f4c", brightYellow: "#8a5f00" },
  ...{ brightBlue: "#3b6df0", brightMagenta: "#a63dab", brightCyan: "#127d89", brightWhite: "#3a3e42" },
};

function isDarkColour(css: string): boolean {
  const [red = 255, green = 255, blue = 255] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return red + green + blue < 384;
}

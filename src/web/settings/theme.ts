import { onSettings, readSettings } from "./settings.js";

/** Light or dark, as chosen; now and whenever it changes. */
export function applyTheme(): void {
  const show = () => {
    const { theme } = readSettings();
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  };
  show();
  onSettings(show);
}

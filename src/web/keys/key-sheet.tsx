import type { ReactNode } from "react";
import { Dialog } from "../parts/dialog.js";
import { useShortcutGroups } from "./shortcuts.js";
import "./key-sheet.css";

const NAMES: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", Enter: "↵" };

/** Every key that means something in the view behind it. */
export function KeySheet({ onClose }: { readonly onClose: () => void }): ReactNode {
  const groups = useShortcutGroups();
  return (
    <Dialog title="Keys" onClose={onClose}>
      {groups.map(({ title, shortcuts }) => (
        <section key={title} className="key-group">
          <h3>{title}</h3>
          <dl className="key-list">
            {shortcuts.map(({ keys, label }) => (
              <div key={keys} className="key-line">
                <dt>{label}</dt>
                <dd>
                  {keys.split(" ").map((key) => (
                    <kbd key={key}>{NAMES[key] ?? key}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

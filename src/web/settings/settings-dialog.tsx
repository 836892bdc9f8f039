import { useState, type ReactNode } from "react";
import { Dialog } from "../parts/dialog.js";
import { playSignal } from "../attention/signal-sound.js";
import { DeviceList } from "./device-list.js";
import { changeSettings, useSettings, type Settings } from "./settings.js";
import "./settings-dialog.css";

const THEMES: readonly (readonly [Settings["theme"], string])[] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

const DENSITIES: readonly (readonly [Settings["density"], string])[] = [
  ["compact", "Compact"],
  ["comfortable", "Comfortable"],
];

export function SettingsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const settings = useSettings();
  return (
    <Dialog title="Settings" onClose={onClose}>
      <fieldset className="settings-group">
        <legend>Appearance</legend>
        <div className="segments">
          {THEMES.map(([theme, label]) => (
            <label key={theme} className="segment">
              <input
                type="radio"
                name="theme"
                checked={settings.theme === theme}
                onChange={() => changeSettings({ theme })}
              />
              <span>{label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset className="settings-group">
        <legend>Rows of the board</legend>
        <div className="segments">
          {DENSITIES.map(([density, label]) => (
            <label key={density} className="segment">
              <input
                type="radio"
                name="density"
                checked={settings.density === density}
                onChange={() => changeSettings({ density })}
              />
              <span>{label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset className="settings-group">
        <legend>When an agent needs you and this page is not in front</legend>
        <NotificationSwitch isOn={settings.notifications} />
        <div className="switch-line">
          <label className="switch">
            <input
              type="checkbox"
              checked={settings.sound}
              onChange={(event) => changeSettings({ sound: event.target.checked })}
            />
            <span>Play a sound</span>
          </label>
          <button className="button button-small" onClick={playSignal}>
            Listen
          </button>
        </div>
      </fieldset>
      <p className="field-note">Kept in this browser only.</p>
      <DeviceList />
    </Dialog>
  );
}

/** The browser asks for permission itself, once. */
function NotificationSwitch({ isOn }: { readonly isOn: boolean }): ReactNode {
  const [problem, setProblem] = useState("");
  const isThere = typeof Notification === "function";
  const change = async (wanted: boolean) => {
    const isGranted = !wanted || (await Notification.requestPermission()) === "granted";
    setProblem(isGranted ? "" : "The browser does not permit this page to show notifications.");
    changeSettings({ notifications: wanted && isGranted });
  };
  return (
    <>
      <label className="switch">
        <input
          type="checkbox"
          disabled={!isThere}
          checked={isOn && isThere}
          onChange={(event) => void change(event.target.checked)}
        />
        <span>Show a notification</span>
      </label>
      {problem !== "" && (
        <p className="field-flaw" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

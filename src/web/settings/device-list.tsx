import { useEffect, useState, type ReactNode } from "react";
import { ROLES, type Role } from "../../protocol/access.js";
import type { Device } from "../../protocol/device.js";
import { useClient } from "../../react/hooks.js";
import { failureWords } from "../parts/failure-words.js";
import { proseText } from "../session/text/visible-text.js";

/** The browsers that are signed in, and what each may do. Only one that owns may change that. */
export function DeviceList(): ReactNode {
  const client = useClient();
  const [devices, setDevices] = useState<readonly Device[]>([]);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let isOver = false;
    client.listDevices().then(
      ({ items }) => {
        if (!isOver) setDevices(items);
      },
      (error: unknown) => {
        if (!isOver) setProblem(failureWords(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [client]);
  const mayChange = devices.some(({ current, role }) => current && role === "own");
  const change = async (id: string, role: Role) => {
    try {
      const changed = await client.patchDevice(id, { role });
      setDevices((before) => before.map((device) => (device.id === id ? changed : device)));
      setProblem("");
    } catch (error) {
      setProblem(failureWords(error));
    }
  };
  return (
    <fieldset className="settings-group">
      <legend>Browsers that are signed in</legend>
      {devices.map(({ id, name, role, current }) => (
        <label key={id} className="switch-line">
          <span>
            {proseText(name)}
            {current && " (this one)"}
          </span>
          <select
            value={role}
            disabled={!mayChange}
            onChange={(event) => void change(id, event.target.value as Role)}
          >
            {ROLES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      ))}
      {problem !== "" && (
        <p className="field-flaw" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

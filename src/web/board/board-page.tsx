import type { ReactNode } from "react";
import { useSessions } from "../../react/hooks.js";
import { Link, sessionPath } from "../routing/router.js";

export function BoardPage(): ReactNode {
  const sessions = useSessions();
  return (
    <section className="page">
      <h1>Board</h1>
      <ul>
        {sessions?.map(({ id, title, status }) => (
          <li key={id} data-session={id} data-status={status}>
            <Link to={sessionPath(id)}>{title}</Link> {status}
          </li>
        ))}
      </ul>
    </section>
  );
}

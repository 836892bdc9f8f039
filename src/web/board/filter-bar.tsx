import type { ReactNode, RefObject } from "react";
import { agentName } from "../../core/index.js";
import { GROUP_WORDS, GROUPS, type Arranged, type Filter } from "./arrange.js";
import { changeFilter } from "./board-filter.js";
import "./filter-bar.css";

interface Props {
  readonly filter: Filter;
  readonly counts: Arranged["counts"];
  readonly harnesses: readonly string[];
  readonly search: RefObject<HTMLInputElement | null>;
}

export function FilterBar({ filter, counts, harnesses, search }: Props): ReactNode {
  return (
    <div className="filter-bar" role="search">
      <div className="filter-groups" role="group" aria-label="Which sessions">
        {GROUPS.map((group) => (
          <button
            key={group}
            className="filter-group"
            aria-pressed={filter.group === group}
            onClick={() => changeFilter({ group })}
          >
            {GROUP_WORDS[group]} <span className="filter-count">{counts[group]}</span>
          </button>
        ))}
      </div>
      <select
        className="select filter-harness"
        aria-label="Agent"
        value={filter.harness}
        onChange={(event) => changeFilter({ harness: event.target.value })}
      >
        <option value="">All agents</option>
        {harnesses.map((harness) => (
          <option key={harness} value={harness}>
            {agentName(harness)}
          </option>
        ))}
      </select>
      <input
        ref={search}
        type="search"
        className="input filter-search"
        placeholder="Search"
        aria-label="Search sessions"
        value={filter.search}
        onChange={(event) => changeFilter({ search: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          changeFilter({ search: "" });
          event.currentTarget.blur();
        }}
      />
    </div>
  );
}

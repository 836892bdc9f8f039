import { useEffect, useId, useState, type ReactNode } from "react";
import { askWords } from "../../core/index.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { DecisionItem } from "../../protocol/api-permissions.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { exactText } from "../session/text/visible-text.js";
import type { Ask } from "./use-answer.js";

const DELAY_MS = 250;

type Verdict = DecisionItem["decision"];

export interface RuleTests {
  /** What the rules as written would say of this very request; null: not known yet, or it cannot be put into words. */
  readonly verdict: Verdict | null;
  /** Why a rule cannot be read; null: it can. */
  readonly flaw: string | null;
  readonly tried: string;
  readonly setTried: (call: string) => void;
  readonly triedVerdict: Verdict | null;
}

/** Asks the daemon, while somebody writes, what the rules would permit. `rules` null: nothing is to be granted. */
export function useRuleTests(session: AgentSession, ask: Ask, rules: readonly string[] | null): RuleTests {
  const [tried, setTried] = useState("");
  const call = callOf(ask);
  const own = useDecision(session, rules, call ?? ANY_CALL);
  const other = useDecision(session, tried.trim() === "" ? null : rules, `Shell(${tried})`);
  return {
    verdict: call === null ? null : own.verdict,
    flaw: own.flaw,
    ...{ tried, setTried },
    triedVerdict: other.verdict,
  };
}

/** Where nothing is to be said of the request itself, the rules are still read. */
const ANY_CALL = "Shell(true)";

/** In the words of the rules. Only of a command that is shown whole is it known what exactly would run. */
function callOf(ask: Ask): string | null {
  const { heading, isCommand, rest } = askWords(ask);
  return isCommand && rest === "" && areCommands(ask.suggestions) ? `Shell(${heading})` : null;
}

function areCommands(rules: readonly string[]): boolean {
  return rules.length > 0 && rules.every((rule) => rule.startsWith("Shell("));
}

interface Decided {
  readonly verdict: Verdict | null;
  readonly flaw: string | null;
}

const UNDECIDED: Decided = { verdict: null, flaw: null };

function useDecision(session: AgentSession, rules: readonly string[] | null, call: string | null): Decided {
  const client = useClient();
  const [decided, setDecided] = useState(UNDECIDED);
  const { cwd, harness } = session;
  const key = rules === null || call === null ? null : JSON.stringify([call, ...rules]);
  useEffect(() => {
    if (key === null) return undefined;
    let isOver = false;
    const [wanted = "", ...grants] = JSON.parse(key) as readonly string[];
    const test = async (): Promise<Decided> => {
      try {
        const { decision } = await client.testPermission({ call: wanted, cwd, harness, grants: [...grants] });
        return { verdict: decision, flaw: null };
      } catch (error) {
        // What cannot be asked now is no flaw of the rule.
        const isFlaw = error instanceof SignalboxError && error.code === "event_invalid";
        return { verdict: null, flaw: isFlaw ? readFailureWords(error).replace(/^grants\.\d+: /, "") : null };
      }
    };
    const timer = setTimeout(() => {
      void test().then((next) => {
        if (!isOver) setDecided(next);
      });
    }, DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      setDecided(UNDECIDED);
    };
  }, [client, key, cwd, harness]);
  return decided;
}

interface FieldsProps {
  readonly rules: readonly string[];
  readonly suggested: readonly string[];
  /** Null: they are granted as they are. */
  readonly onChange: ((rules: readonly string[] | null) => void) | null;
  readonly tests: RuleTests;
}

/** The rules that an answer would grant, to be widened or narrowed, and what they would permit. */
export function RuleFields({ rules, suggested, onChange, tests }: FieldsProps): ReactNode {
  const id = useId();
  return (
    <div className="rule-fields">
      {rules.map((rule, index) =>
        onChange === null ? (
          <code key={index} className="rule-fixed">
            {exactText(rule)}
          </code>
        ) : (
          <input
            key={index}
            className="input rule-field"
            aria-label={rules.length === 1 ? "Rule" : `Rule ${index + 1}`}
            aria-invalid={tests.flaw !== null}
            aria-describedby={`${id}-own`}
            spellCheck={false}
            autoComplete="off"
            value={rule}
            onChange={({ target }) => onChange(rules.map((each, at) => (at === index ? target.value : each)))}
          />
        ),
      )}
      <p
        id={`${id}-own`}
        className="rule-verdict"
        role="status"
        data-verdict={tests.flaw === null ? tests.verdict : "flaw"}
      >
        {tests.flaw ?? (tests.verdict === null ? "" : OWN_WORDS[tests.verdict])}
      </p>
      {areCommands(suggested) && (
        <label className="rule-try">
          <span>Try it on</span>
          <input
            className="input rule-field"
            placeholder="another command"
            spellCheck={false}
            autoComplete="off"
            value={tests.tried}
            onChange={({ target }) => tests.setTried(target.value)}
          />
          <span className="rule-verdict" role="status" data-verdict={tests.triedVerdict}>
            {tests.tried.trim() === "" || tests.triedVerdict === null ? "" : TRIED_WORDS[tests.triedVerdict]}
          </span>
        </label>
      )}
    </div>
  );
}

const OWN_WORDS: Readonly<Record<Verdict, string>> = {
  allow: "Covers this request: it would run without asking next time.",
  ask: "Does not cover this request: you would be asked again.",
  none: "Does not cover this request: you would be asked again.",
  deny: "Another rule denies this request, whatever you grant.",
};

const TRIED_WORDS: Readonly<Record<Verdict, string>> = {
  allow: "would run",
  ask: "would ask",
  none: "would ask",
  deny: "would be denied",
};

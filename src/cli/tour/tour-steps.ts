/** What the tour shows, in order. */
export interface TourCommand {
  /** As it is typed; `{name}` stands for an id that an earlier one printed. */
  readonly line: string;
  /** Under which name the id that it prints first is kept. */
  readonly keeps?: string;
  /** Before it makes sense, every agent of the race has been checked. */
  readonly afterRace?: true;
}

export interface TourStep {
  readonly name: string;
  readonly title: string;
  /** What it is for. Lines are short enough for any terminal. */
  readonly why: string;
  /** Steps without which this one cannot be done. */
  readonly needs: readonly string[];
  readonly commands: readonly TourCommand[];
}

const COMMENT = "Name the time, please, and test it.";

export const TOUR_STEPS: readonly TourStep[] = [
  {
    name: "project",
    title: "A project",
    why: `A project has a check, which tells whether a change is good. Here it runs the
tests. The demo agents are harmless, so they may work without asking you.`,
    needs: [],
    commands: [
      { line: "signalbox projects add", keeps: "project" },
      { line: 'signalbox projects set {project} --check "node --test" --approve auto' },
    ],
  },
  {
    name: "start",
    title: "Three agents",
    why: `Each agent gets a workspace: a checkout and a branch of its own. The first one
has to ask you before it changes a file. run follows the last one to its end.`,
    needs: ["project"],
    commands: [
      { line: 'signalbox new demo "Refuse 7:75, it is no time" --workspace --approve ask', keeps: "clock" },
      { line: 'signalbox new demo "Write a README" --workspace', keeps: "readme" },
      { line: 'signalbox run demo "Explain the code" --workspace' },
    ],
  },
  {
    name: "look",
    title: "Who needs me?",
    why: `One list says what each agent is doing. The first needs your approval, the
second has a question, the third is done. A * marks the agent that gets messages
which name no other.`,
    needs: ["start"],
    commands: [
      { line: "signalbox wait {clock} --for needs-approval" },
      { line: "signalbox wait {readme} --for needs-an-answer" },
      { line: "signalbox ls" },
    ],
  },
  {
    name: "answer",
    title: "Approve and answer",
    why: `You see a change before it is made. With --scope session, the agent may edit
this file again without asking. A question is answered with a message.`,
    needs: ["look"],
    commands: [
      { line: "signalbox asks" },
      { line: "signalbox approve {clock} --scope session" },
      { line: "signalbox send {readme} developers" },
      { line: "signalbox wait {clock}" },
      { line: "signalbox wait {readme}" },
    ],
  },
  {
    name: "diff",
    title: "Look at the change",
    why: "What the agent changed is in its workspace. Your own files are as they were.",
    needs: ["answer"],
    commands: [{ line: "signalbox diff {clock}" }, { line: "git status --short --branch" }],
  },
  {
    name: "review",
    title: "Review it",
    why: `Comments go to the agent as one message. signalbox review opens your editor;
this line puts a comment below the changed line without one. The agent mends the
file, and asks before it changes another one, the test.`,
    needs: ["answer"],
    commands: [
      {
        line: `signalbox review {clock} --print | awk '{print} /^\\+.*throw/ {print "> ${COMMENT}"}' | signalbox review {clock} --from -`,
      },
      { line: "signalbox wait {clock} --for needs-approval" },
      { line: "signalbox approve {clock}" },
      { line: "signalbox wait {clock}" },
      { line: "signalbox diff {clock} --turn 2" },
    ],
  },
  {
    name: "finish",
    title: "Finish it",
    why: `The check is run, and the change is merged into your branch. An agent cannot do
this: only you can.`,
    needs: ["answer"],
    commands: [
      { line: 'signalbox finish {clock} --how merge -m "Refuse what is no time"' },
      { line: "git log --oneline --graph" },
    ],
  },
  {
    name: "race",
    title: "A race",
    why: `Two agents get the same task, from the same commit. The one with the model
demo/hasty makes a mistake on purpose. The check finds it.`,
    needs: ["project"],
    commands: [
      {
        line: 'signalbox race "Sort the board by time" --with demo --with demo:demo/hasty --check "node check-order.js"',
        keeps: "race",
      },
      { line: "signalbox races {race}", afterRace: true },
    ],
  },
  {
    name: "choose",
    title: "Choose one",
    why: `The change that you choose becomes one commit on your branch. The other agent is
parked: its branch and its workspace stay.`,
    needs: ["race"],
    commands: [
      { line: 'signalbox race choose {race} {careful} --how squash -m "Sort the board"' },
      { line: "git log --oneline" },
      { line: "node --test --test-reporter=dot && node check-order.js && git status --short --branch" },
    ],
  },
];

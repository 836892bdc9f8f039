/** `signalbox permissions`: what agents may do, and why. */
import { CLIENT_HELP } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { nearestName } from "../nearest-name.js";

const ACTIONS: Readonly<Record<string, () => Promise<Command["run"]>>> = {
  ls: async () => (await import("./permissions-ls.js")).listPermissions,
  test: async () => (await import("./permissions-test.js")).testPermission,
  add: async () => (await import("./permissions-add.js")).addPermission,
  rm: async () => (await import("./permissions-rm.js")).removePermission,
  init: async () => (await import("./permissions-init.js")).initPermissions,
  wall: async () => (await import("./permissions-wall.js")).showWall,
  trust: async () => (await import("./permissions-trust.js")).trustFolder,
};

export const permissionsCommand: Command = {
  help: `Usage: signalbox permissions ls [--cwd DIR]
       signalbox permissions test [--cwd DIR] CALL
       signalbox permissions add [--allow | --ask | --deny] [--project | --global] [--cwd DIR] RULE
       signalbox permissions rm [--allow | --ask | --deny | --grant] [--project | --global] [--cwd DIR] RULE
       signalbox permissions init [--cwd DIR] [node | python | rust | go | make ...]
       signalbox permissions trust DIR [--revoke] [--yes]
       signalbox permissions wall [--cwd DIR] [--harness NAME]

ls     every rule that applies to a folder, where it is written, and what is wrong with the files
test   what the rules say of a call, and why; a call is written like a rule:
         signalbox permissions test "Shell(git status && rm x)"
         signalbox permissions test "Write(src/a.ts)"
       allow and deny are answered at once; ask means that a rule wants a person asked; none means that no rule says
       anything: a person is asked, or auto mode approves
add    a rule of your own, for the project that you are in (--project, unless told otherwise) or for everything
rm     takes such a rule, or a grant, out of your own file again
init   writes a first file of your own for a project, for you to change: everyday commands are allowed, what others see
       is asked, secrets are denied; for what the project is made with, by its files unless you say
trust  lets the allow rules of a folder's .signalbox count, and whatever else in it runs something; as it is now: a
       change of any of its files ends it
wall   what the kernel would hold of an agent that is started in a folder: what it may write, what is hidden, its
       network; and what no wall can hold

Categories are Read, Write, Shell, Mcp, Web and Tool. Any deny wins; then what you granted, then ask, then allow.

Options:
  --cwd DIR        where the agent would work; here, when absent
  --harness NAME   test: the agent that would make the call; wall: the agent that would be started
  --revoke         trust: not any more
  -y, --yes        trust: without asking; needed where nobody is at a terminal
${CLIENT_HELP}`,
  run: async (args) => {
    const [name = "", ...rest] = args;
    const load = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (load) return (await load())(rest);
    const known = Object.keys(ACTIONS);
    const nearest = nearestName(name, known);
    throw new UsageError(
      name === "" ? "permissions of what kind?" : `unknown ${JSON.stringify(name)}`,
      `${nearest === null ? `One of ${known.join(", ")}.` : `Did you mean ${nearest}?`} See signalbox permissions --help.`,
    );
  },
};

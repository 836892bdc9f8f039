import { CommandFailure } from "./command.js";
import { EXIT } from "./exit-codes.js";

const SIZE_BYTES_MAX = 1024 * 1024;

/** All of stdin as text, without the last newline. */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > SIZE_BYTES_MAX) {
      throw new CommandFailure(
        `stdin is longer than ${SIZE_BYTES_MAX} bytes`,
        "Put it in a file and name the file in the message.",
        EXIT.invalidInput,
      );
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, "");
}

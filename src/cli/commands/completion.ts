/** `handset completion`: prints the completion script of a shell. */
import { type Command, positional } from '../command/command.ts';
import { completionScript, shells } from '../help/completion.ts';
import { usageError } from '../client/failure.ts';

/** For `commands`, and itself. */
export const completionOf = (commands: readonly Command[]): Command => {
  const completion: Command = {
    words: 'completion',
    summary: `Print a shell completion script: ${shells.join(', ')}`,
    positionals: ['shell'],
    options: {},
    anonymous: true,
    async run({ out }, given) {
      const shell = shells.find((one) => one === positional(given, 0));
      if (shell === undefined) throw usageError(`the shell must be one of ${shells.join(', ')}`);
      const script = completionScript(shell, [...commands, completion]);
      out.line(script.trimEnd());
      out.value({ shell, script });
    },
  };
  return completion;
};

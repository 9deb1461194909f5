/** The attacker, in a process of its own. */
import { Agent } from 'node:http';
import { ask } from '../load/ask.ts';
import { serveCommands } from '../support/child.ts';
import { attacks } from './all.ts';
import type { Attack, Stage, Target } from './attack.ts';

const agent = new Agent({ keepAlive: false });

let prepared: { readonly attack: Attack; readonly stage: Stage } | null = null;
let end = new AbortController();
let failure: Error | null = null;

serveCommands({
  async prepare({ name, target }: { name: string; target: Target }) {
    const attack = attacks.find((each) => each.name === name)!;
    const stage: Stage = {
      ...target,
      ask: (key, method, path, body) => ask(agent, target.url, key, method, path, body),
    };
    await attack.prepare?.(stage);
    prepared = { attack, stage };
  },
  begin() {
    end = new AbortController();
    const { signal } = end;
    const { attack, stage } = prepared!;
    attack.run(stage, signal).catch((error: Error) => {
      // Requests that its end has cut are no failure.
      if (!signal.aborted) failure = error;
    });
  },
  end() {
    end.abort();
    if (failure !== null) throw failure;
  },
});

/** `handset logout`: forgets what `handset login` kept. */
import type { Command } from '../command/command.ts';
import { removeCredentials } from '../client/credentials.ts';

export const logout: Command = {
  words: 'logout',
  summary: 'Delete the stored key (it stays valid: see "handset key revoke")',
  anonymous: true,
  positionals: [],
  async run({ config, out }) {
    await removeCredentials(config.credentialsFile);
    out.line('Logged out');
    out.value({ loggedOut: true });
  },
};

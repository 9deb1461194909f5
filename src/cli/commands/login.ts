/** `handset login`: checks a key and keeps it for the commands that follow. */
import { type Command, textOption } from '../command/command.ts';
import { CommandError, usageError } from '../client/failure.ts';
import { makeClient } from '../client/client.ts';
import { defaultUrl, writeCredentials } from '../client/credentials.ts';

interface Me {
  readonly user: { readonly name: string };
}

const urlOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw usageError('--url must be an http:// or https:// URL');
  return text.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
};

export const login: Command = {
  words: 'login',
  summary: 'Store the URL of a service and an API key',
  anonymous: true,
  positionals: [],
  options: {
    url: { type: 'string', help: `address of the service, without /v1 (default: HANDSET_URL, or ${defaultUrl})` },
    key: { type: 'string', help: 'the API key (default: prompt, which keeps it out of the shell history)' },
  },
  async run({ config, out, askSecret, signal }, given) {
    const url = urlOf(textOption(given, 'url') ?? config.url ?? defaultUrl);
    const key = (textOption(given, 'key') ?? config.key ?? (await askSecret(`API key for ${url}: `))).trim();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('that is not an API key');
    const { user } = await makeClient(url, key, signal).call<Me>('GET', '/me');
    await writeCredentials(config.credentialsFile, { url, key });
    out.line(`Logged in at ${url} as ${user.name}; the key is in ${config.credentialsFile}`);
    out.value({ url, user });
  },
};

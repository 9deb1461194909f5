/** The option `--proxy`: a URL, or `ask` for one that stands in no history and no list of processes. */
import { type Arguments, type Context, textOption } from './command.ts';

export const proxyHelp =
  'URL of the proxy of the device (http, https or socks5), with its user name and password; or ask, to type it unseen';

export const proxyOf = async (
  { askSecret }: Pick<Context, 'askSecret'>,
  given: Arguments,
): Promise<string | undefined> => {
  const text = textOption(given, 'proxy');
  return text === 'ask' ? (await askSecret('URL of the proxy: ')).trim() : text;
};

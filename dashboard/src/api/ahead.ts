/** The first requests of a page, asked in one (`GET /session/snapshot`): the answers wait here for the parts that need them. */

/** Requests that several parts of the dashboard have to write alike. */
export const paths = {
  me: '/v1/me',
  accounts: '/v1/accounts?limit=1000',
  devices: '/v1/devices',
  session: (deviceId: number | string) => `/v1/devices/${deviceId}/session`,
  chats: (deviceId: number | string) => `/v1/devices/${deviceId}/chats?limit=100`,
  scheduled: (deviceId: number | string) => `/v1/devices/${deviceId}/messages/scheduled?limit=1000`,
  /** `chat`: encoded. */
  messages: (deviceId: number | string, chat: string, limit = 50) =>
    `/v1/devices/${deviceId}/messages?chat=${chat}&limit=${limit}`,
};

/** Those of a page, by its route. */
export const firstPaths = ([first = 'devices', device, tab = 'chat', chat]: readonly string[]): readonly string[] => {
  const always = [paths.me, paths.devices];
  if (first !== 'devices') return always;
  if (device === undefined || !/^\d+$/.test(device)) return [...always, paths.accounts];
  const ofDevice = [...always, paths.session(device)];
  if (tab !== 'chat') return ofDevice;
  const ofChat = chat === undefined || chat === 'new' ? [] : [paths.messages(device, chat), paths.scheduled(device)];
  return [...ofDevice, paths.chats(device), ...ofChat];
};

type Answers = Readonly<Record<string, unknown>>;

const withoutChat = (path: string): string => path.replace(/chat=[^&]*/, 'chat=');

interface MessagePage {
  readonly messages: readonly { readonly chat: string }[];
}

/** The messages also under the JID of their chat: the address of the page may have its number. */
const withJid = (answers: Answers): Answers => {
  const found = Object.entries(answers).find(([path]) => path.includes('/messages?chat='));
  if (found === undefined) return answers;
  const [path, page] = found;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer to `paths.messages`
  const chat = (page as MessagePage).messages[0]?.chat;
  return chat === undefined
    ? answers
    : { ...answers, [path.replace(/chat=[^&]*/, `chat=${encodeURIComponent(chat)}`)]: page };
};

/** What is not needed by then may be outdated. */
const freshMs = 2_000;

export class Ahead {
  #asked = new Set<string>();
  #answers: Promise<Answers> | null = null;

  /** The answer, once; `ask` where there is none. */
  async get<T>(path: string, ask: () => Promise<T>): Promise<T> {
    const answers = this.#answers;
    const isAsked = answers !== null && this.#asked.delete(withoutChat(path));
    const answer = isAsked ? (await answers)[path] : undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's answer to this request
    return answer === undefined ? ask() : (answer as T);
  }

  begin(asked: readonly string[], ask: (path: string) => Promise<{ readonly answers: Answers }>): void {
    this.#asked = new Set(asked.map(withoutChat));
    const query = asked.map((path) => `of=${encodeURIComponent(path)}`).join('&');
    const told = ask(`/session/snapshot?${query}`);
    const answers = told.then(
      (all) => withJid(all.answers),
      () => ({}),
    );
    this.#answers = answers;
    const end = (): void => {
      if (this.#answers === answers) this.drop();
    };
    void answers.then(() => setTimeout(end, freshMs));
  }

  /** Call when something has changed: an answer that nobody has taken may not include it. */
  drop(): void {
    this.#answers = null;
  }
}

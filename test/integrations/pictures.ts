/**
 * Draws the pictures of docs/clients/integrations.md: a conversation as the sandbox's phone and the played Chatwoot have it after a run of the bridge,
 * and the workflow of docs/examples as its file says. `node test/integrations/pictures.ts` renews both.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ada, bob, untilShown } from '../flows/steps.ts';
import { eventually } from '../support/wait.ts';
import type { PlayedMessage } from './chatwoot.records.ts';
import { type Rig, startRig } from './chatwoot.rig.ts';

const docs = join(import.meta.dirname, '../../docs');
const font = 'font-family="system-ui, sans-serif"';

interface Bubble {
  readonly text: string;
  readonly quoted: string | null;
  readonly own: boolean;
  readonly note: boolean;
  readonly below: string;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const bubbleHeight = ({ quoted, below }: Bubble): number => 34 + (quoted === null ? 0 : 24) + (below === '' ? 0 : 18);

const drawBubble = (bubble: Bubble, left: number, top: number, columnWidth: number): string => {
  const { text, quoted, own, note, below } = bubble;
  const width = Math.min(columnWidth - 40, 24 + 8 * Math.max(text.length, quoted?.length ?? 0, below.length));
  const x = own ? left + columnWidth - width - 14 : left + 14;
  const fill = note ? '#fdf3d0' : own ? '#d9f2e3' : '#ffffff';
  const lines = [
    `<rect x="${x}" y="${top}" width="${width}" height="${bubbleHeight(bubble)}" rx="9" fill="${fill}" stroke="#c9d3de"/>`,
    ...(quoted === null
      ? []
      : [`<text x="${x + 16}" y="${top + 22}" font-size="12" fill="#5b6b7f">│ ${escaped(quoted)}</text>`]),
    `<text x="${x + 12}" y="${top + 22 + (quoted === null ? 0 : 24)}" font-size="14" fill="#1c2733">${escaped(text)}</text>`,
    ...(below === ''
      ? []
      : [
          `<text x="${x + width - 12}" y="${top + bubbleHeight(bubble) - 9}" font-size="11" fill="#5b6b7f" text-anchor="end">${escaped(below)}</text>`,
        ]),
  ];
  return lines.join('\n');
};

const drawColumn = (title: string, bubbles: readonly Bubble[], left: number, width: number): string => {
  let top = 58;
  const drawn = bubbles.map((bubble) => {
    const one = drawBubble(bubble, left, top, width);
    top += bubbleHeight(bubble) + 10;
    return one;
  });
  return `<text x="${left + width / 2}" y="34" font-size="16" font-weight="600" fill="#1c2733" text-anchor="middle">${title}</text>\n${drawn.join('\n')}`;
};

const heightOf = (bubbles: readonly Bubble[]): number =>
  bubbles.reduce((sum, bubble) => sum + bubbleHeight(bubble) + 10, 66);

const drawConversation = (phone: readonly Bubble[], chatwoot: readonly Bubble[]): string => {
  const height = Math.max(heightOf(phone), heightOf(chatwoot));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 ${height}" ${font} role="img" aria-label="A conversation on a phone, and the same one in Chatwoot">
<rect width="880" height="${height}" rx="10" fill="#ffffff"/>
<rect x="12" y="12" width="410" height="${height - 24}" rx="10" fill="#f3f6fa"/>
<rect x="458" y="12" width="410" height="${height - 24}" rx="10" fill="#f3f6fa"/>
${drawColumn("Bob's phone", phone, 12, 410)}
${drawColumn('Chatwoot', chatwoot, 458, 410)}
</svg>
`;
};

const play = async ({ installation, chatwoot, untilInChatwoot, untilStatus, deliveriesDone }: Rig): Promise<void> => {
  const { phones } = installation;
  await phones.write(bob, { to: ada, text: 'Is it open today?' });
  const question = await untilInChatwoot('Bob', ({ content }) => content.startsWith('Is it'));
  const reply = { content_attributes: { in_reply_to: question.id } };
  const answer = await chatwoot.agentWrites(chatwoot.conversationWith('Bob'), 'Yes, until six.', reply);
  const { id } = await untilShown(installation, bob, 'Yes, until six.');
  await phones.request('POST', `/phones/${bob}/messages/${id}/read`, {});
  await untilStatus(answer, 'read');
  await phones.request('POST', `/phones/${bob}/messages/${id}/react`, { emoji: '👍' });
  await untilInChatwoot('Bob', ({ private: isPrivate }) => isPrivate);
  const gate = { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate' };
  await phones.write(bob, { to: ada, location: gate });
  await untilInChatwoot('Bob', ({ content }) => content.includes('Gate'));
  await phones.write(ada, { to: bob, text: 'I am on my way (from the phone)' });
  const own = await untilInChatwoot('Bob', ({ content }) => content.includes('my way'));
  await eventually('it is delivered', () => own.status !== 'sent');
  await deliveriesDone();
};

interface Shown {
  readonly fromMe: boolean;
  readonly text: string | null;
  readonly location?: { readonly name?: string };
  readonly quoted?: { readonly text: string | null };
  readonly reactions?: readonly { readonly emoji?: string }[];
}

const onPhone = async ({ installation }: Rig): Promise<readonly Bubble[]> =>
  ((await installation.phones.messages(bob)) as unknown as readonly Shown[]).map((message) => ({
    text: message.text ?? `📍 ${message.location?.name ?? ''}`,
    quoted: message.quoted?.text ?? null,
    own: message.fromMe,
    note: false,
    below: (message.reactions ?? []).length > 0 ? '👍' : '',
  }));

const inChatwoot = ({ chatwoot }: Rig): readonly Bubble[] => {
  const all = chatwoot.shown('Bob');
  const quotedBy = ({ content_attributes: { in_reply_to: id } }: PlayedMessage): string | null =>
    all.find((message) => message.id === id)?.content ?? null;
  return all.map((message) => ({
    text: message.content.split('\n').slice(0, 2).join(' '),
    quoted: quotedBy(message),
    own: message.message_type === 'outgoing',
    note: message.private,
    below: message.private ? 'private note' : message.message_type === 'outgoing' ? `✓ ${message.status}` : '',
  }));
};

interface Workflow {
  readonly nodes: readonly {
    readonly name: string;
    readonly type: string;
    readonly position: readonly [number, number];
  }[];
  readonly connections: Readonly<Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>>;
}

/** The icon's inner part, as the package has it. */
const icon = readFileSync(join(docs, '../integrations/n8n/icons/handset.svg'), 'utf8').replace(
  /^<svg[^>]*>|<\/svg>\s*$/g,
  '',
);

const drawWorkflow = ({ nodes, connections }: Workflow): string => {
  const at = (name: string): readonly [number, number] => {
    const [x, y] = nodes.find((node) => node.name === name)!.position;
    return [x + 150, y + 40];
  };
  const edges = Object.entries(connections).flatMap(([from, { main }]) =>
    main.flat().map(({ node }) => {
      const [[x, y], [toX, toY]] = [at(from), at(node)];
      const middle = (x + 110 + toX) / 2;
      return `<path d="M${x + 110} ${y + 50} C${middle} ${y + 50} ${middle} ${toY + 50} ${toX - 4} ${toY + 50}"/>`;
    }),
  );
  const boxes = nodes.map(({ name, type }) => {
    const [x, y] = at(name);
    const radius = type.endsWith('Trigger') ? 34 : 10;
    return `<rect x="${x}" y="${y}" width="110" height="100" rx="${radius}" fill="#ffffff" stroke="#5b6b7f" stroke-width="1.5"/>
<svg x="${x + 30}" y="${y + 25}" width="50" height="50" viewBox="0 0 60 60">${icon}</svg>
<text x="${x + 55}" y="${y + 122}" text-anchor="middle" font-size="14" fill="#1c2733">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 440" ${font} role="img" aria-label="Handset Trigger starts Mark as read and Reply">
<rect width="760" height="440" rx="10" fill="#f3f6fa"/>
<g fill="none" stroke="#5b6b7f" stroke-width="2" marker-end="url(#a)">
${edges.join('\n')}
</g>
${boxes.join('\n')}
<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#5b6b7f"/></marker></defs>
</svg>
`;
};

const workflow = JSON.parse(readFileSync(join(docs, 'examples/n8n-workflow.json'), 'utf8')) as Workflow;
writeFileSync(join(docs, 'images/integration-n8n.svg'), drawWorkflow(workflow));

const rig = await startRig();
try {
  await play(rig);
  writeFileSync(join(docs, 'images/integration-chatwoot.svg'), drawConversation(await onPhone(rig), inChatwoot(rig)));
} finally {
  await rig[Symbol.asyncDispose]();
}

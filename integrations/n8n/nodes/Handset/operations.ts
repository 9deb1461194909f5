/** Each operation of the node as a call of the interface. */
import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { plainNumber } from '../number.ts';
import type { Call } from '../request.ts';
import type { MemberOf, Things } from '../../types/things.d.ts';
import { objectOf, textOf } from '../values.ts';

type Operation = (context: IExecuteFunctions, item: number) => Promise<Call> | Call;

const text = (context: IExecuteFunctions, name: string, item: number): string =>
  textOf(context.getNodeParameter(name, item, ''));

const device = (context: IExecuteFunctions, item: number): string =>
  `/devices/${encodeURIComponent(text(context, 'device', item))}`;

const chat = (context: IExecuteFunctions, item: number): string => {
  const given = text(context, 'chat', item);
  if (given === '') throw new Error('Chat is empty: give a phone number, a JID, a LID or a group');
  return encodeURIComponent(plainNumber(given));
};

/** A number may be written as people write it; everything else is an address of the network. */
const recipient = (context: IExecuteFunctions, item: number): IDataObject => {
  const given = text(context, 'to', item);
  if (given === '') throw new Error('To is empty: give a phone number, a JID, a LID or a group');
  return given.includes('@') ? { to: given } : { toNumber: plainNumber(given) };
};

/**
 * One key for each message of a run: if the node is tried again, nothing is sent twice. The index of the run keeps rounds of a loop apart.
 */
const keyOf = (context: IExecuteFunctions, item: number): string => {
  const own = textOf(objectOf(context.getNodeParameter('options', item, {})).idempotencyKey);
  if (own !== '') return own;
  const execution = context.getExecutionId();
  const run = textOf(context.evaluateExpression('{{ $runIndex }}', item));
  return execution ? `n8n-${execution}-${context.getNode().id}-${run}-${item}` : `n8n-${randomUUID()}`;
};

const send = (context: IExecuteFunctions, item: number, kind: string, content: IDataObject): Call => {
  const quotedMessageId = textOf(objectOf(context.getNodeParameter('options', item, {})).quotedMessageId);
  return {
    method: 'POST',
    path: `${device(context, item)}/messages/${kind}`,
    body: { ...recipient(context, item), ...content, ...(quotedMessageId === '' ? {} : { quotedMessageId }) },
    headers: { 'Idempotency-Key': keyOf(context, item) },
  };
};

const textOfMessage = (context: IExecuteFunctions, item: number) =>
  ({ message: text(context, 'message', item) }) satisfies Partial<Things['SendText']>;

const captioned = ['media', 'video', 'document'];

const sendFile: Operation = async (context, item) => {
  const kind = text(context, 'kind', item);
  const isBinary = context.getNodeParameter('source', item) === 'binary';
  const property = isBinary ? text(context, 'binaryProperty', item) : '';
  const caption = captioned.includes(kind) ? text(context, 'caption', item) : '';
  const content: IDataObject = isBinary
    ? { mediaBase64: (await context.helpers.getBinaryDataBuffer(item, property)).toString('base64') }
    : { mediaUrl: text(context, 'url', item) };
  const inputName = isBinary ? context.helpers.assertBinaryData(item, property).fileName : undefined;
  const fileName = text(context, 'fileName', item) || inputName;
  if (caption !== '') content.mediaCaption = caption;
  if (kind === 'document' && fileName) content.fileName = fileName;
  return send(
    context,
    item,
    kind === 'voice' ? 'audio' : kind,
    kind === 'voice' ? { ...content, voice: true } : content,
  );
};

const onMessage = (context: IExecuteFunctions, item: number): string => {
  const id = text(context, 'messageId', item);
  if (id === '') throw new Error('Message ID is empty');
  return `${device(context, item)}/messages/${encodeURIComponent(id)}`;
};

const page = (context: IExecuteFunctions, item: number): IDataObject => ({
  limit: context.getNodeParameter('limit', item, 50),
});

/** By resource and operation. */
export const operations: Readonly<Record<string, Operation>> = {
  'message:sendText': (context, item) => send(context, item, 'text', textOfMessage(context, item)),
  'message:reply': (context, item) => {
    const { path, body, ...others } = send(context, item, 'text', textOfMessage(context, item));
    const quotedMessageId = text(context, 'messageId', item);
    if (quotedMessageId === '') throw new Error('Message ID is empty');
    return { ...others, path, body: { ...body, quotedMessageId } };
  },
  'message:sendFile': sendFile,
  'message:sendLocation': (context, item) => {
    const name = text(context, 'locationName', item);
    const address = text(context, 'locationAddress', item);
    const [latitude, longitude] = ['latitude', 'longitude'].map((one) => context.getNodeParameter(one, item));
    const place = { latitude, longitude, ...(name === '' ? {} : { name }), ...(address === '' ? {} : { address }) };
    return send(context, item, 'location', place);
  },
  'message:react': (context, item) => ({
    method: 'PUT',
    path: `${onMessage(context, item)}/reaction`,
    body: { reaction: text(context, 'reaction', item) || null } satisfies Things['SetReaction'],
  }),
  'message:get': (context, item) => ({ method: 'GET', path: onMessage(context, item) }),
  'chat:getMany': (context, item) => ({
    method: 'GET',
    path: `${device(context, item)}/chats`,
    qs: {
      ...page(context, item),
      ...(context.getNodeParameter('unread', item, false) === true ? { unread: true } : {}),
    },
  }),
  'chat:markRead': (context, item) => ({
    method: 'POST',
    path: `${device(context, item)}/chats/${chat(context, item)}/read`,
    body: {},
  }),
  'chat:setTyping': (context, item) => ({
    method: 'PUT',
    path: `${device(context, item)}/chats/${chat(context, item)}/typing`,
    body: { state: text(context, 'state', item) },
  }),
  'contact:get': (context, item) => ({
    method: 'GET',
    path: `${device(context, item)}/contacts/${chat(context, item)}`,
  }),
  'contact:lookUp': (context, item) => ({
    method: 'GET',
    path: `${device(context, item)}/contacts/lookup`,
    qs: { numbers: text(context, 'numbers', item).split(',').map(plainNumber).join(',') },
  }),
  'device:getMany': () => ({ method: 'GET', path: '/devices' }),
  'device:get': (context, item) => ({ method: 'GET', path: device(context, item) }),
};

/** The member of an answer that is the result; lists become one item each. */
export const results: Readonly<Record<string, string>> = {
  'message:get': 'message' satisfies MemberOf<'getMessage'>,
  'chat:getMany': 'chats' satisfies MemberOf<'listChats'>,
  'contact:get': 'contact' satisfies MemberOf<'getContact'>,
  'contact:lookUp': 'contacts' satisfies MemberOf<'lookUpNumbers'>,
  'device:getMany': 'devices' satisfies MemberOf<'listDevices'>,
  'device:get': 'device' satisfies MemberOf<'getDevice'>,
};

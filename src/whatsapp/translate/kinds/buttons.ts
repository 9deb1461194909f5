/** Messages with buttons and lists, and the replies to them. */
import { cut, maxText, cutOrNull } from '../parts/limits.ts';
import type { Kinds, Said } from '../parts/kind.ts';
import type { proto } from '../../library/proto.ts';
import { headPart, type Head } from '../parts/media.ts';

export const answerKinds: Kinds = {
  richResponseMessage: ({ richResponseMessage: answer }) => ({
    type: 'text',
    text: (answer!.submessages ?? [])
      .slice(0, 100)
      .map(({ messageText }) => cut(messageText ?? '', maxText))
      .filter((text) => text !== '')
      .join('\n\n'),
    context: answer!.contextInfo,
  }),
  questionResponseMessage: ({ questionResponseMessage: answer }) => ({
    type: 'text',
    text: answer!.text,
    context: { stanzaId: answer!.key?.id ?? null },
  }),
  statusQuestionAnswerMessage: ({ statusQuestionAnswerMessage: answer }) => ({ type: 'text', text: answer!.text }),
  statusQuotedMessage: ({ statusQuotedMessage: quoted }) => ({ type: 'text', text: quoted!.text }),
};

const selected = (
  id: string | null | undefined,
  text: string | null | undefined,
  context: proto.IContextInfo | null | undefined,
): Said => ({
  type: 'text',
  text,
  parts: { selection: { id: cutOrNull(id), text: cutOrNull(text, maxText) } },
  context,
});

/** Native flow replies carry their id in JSON defined by the business. */
const flowId = (json: string | null | undefined): string | null => {
  if ((json ?? '').length > maxText) return null;
  try {
    const value: unknown = JSON.parse(json ?? '');
    if (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string') return value.id;
  } catch {
    // Not JSON: there is no id.
  }
  return null;
};

export const selectionKinds: Kinds = {
  buttonsResponseMessage: ({ buttonsResponseMessage: reply }) =>
    selected(reply!.selectedButtonId, reply!.selectedDisplayText, reply!.contextInfo),
  listResponseMessage: ({ listResponseMessage: reply }) =>
    selected(reply!.singleSelectReply?.selectedRowId, reply!.title, reply!.contextInfo),
  templateButtonReplyMessage: ({ templateButtonReplyMessage: reply }) =>
    selected(reply!.selectedId, reply!.selectedDisplayText, reply!.contextInfo),
  interactiveResponseMessage: ({ interactiveResponseMessage: reply }) =>
    selected(flowId(reply!.nativeFlowResponseMessage?.paramsJson), reply!.body?.text, reply!.contextInfo),
};

const withHead = (head: Head, said: Said): Said => {
  const media = headPart(head);
  return media === null ? said : { ...said, type: media.class, media, text: said.text || media.caption };
};

const template = (message: proto.Message.ITemplateMessage): Said => {
  const hydrated = message.hydratedTemplate ?? message.hydratedFourRowTemplate;
  const text = hydrated?.hydratedContentText ?? message.interactiveMessageTemplate?.body?.text;
  return withHead(hydrated ?? {}, { type: 'text', text, context: message.contextInfo });
};

export const templateKinds: Kinds = {
  buttonsMessage: ({ buttonsMessage: buttons }) =>
    withHead(buttons!, { type: 'text', text: buttons!.contentText, context: buttons!.contextInfo }),
  listMessage: ({ listMessage: list }) => ({
    type: 'text',
    text: list!.description || list!.title,
    context: list!.contextInfo,
  }),
  interactiveMessage: ({ interactiveMessage: interactive }) =>
    withHead(interactive!.header ?? {}, {
      type: 'text',
      text: interactive!.body?.text,
      context: interactive!.contextInfo,
    }),
  templateMessage: ({ templateMessage }) => template(templateMessage!),
  highlyStructuredMessage: ({ highlyStructuredMessage: message }) =>
    message!.hydratedHsm ? template(message!.hydratedHsm) : { type: 'unknown' },
};

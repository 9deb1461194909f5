/** Templates, buttons and lists of businesses: their text, with the media in their head. */
import type { proto } from '../../engine/proto.ts';
import type { Kinds, Said } from '../parts/kind.ts';
import { headPart, type Head } from '../parts/media.ts';

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

/** Replies to buttons, lists and templates, which name what was selected. */
import { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { Part, PartReader } from './part.ts';
import type { Selected } from './types.ts';

export const selectionKinds = ['button', 'list', 'template', 'flow'] as const;
export type SelectionKind = (typeof selectionKinds)[number];

export const selectionMessage = ({ id, text }: Selected, kind: SelectionKind): Message => {
  const { DISPLAY_TEXT } = proto.Message.ButtonsResponseMessage.Type;
  const { SINGLE_SELECT } = proto.Message.ListResponseMessage.ListType;
  switch (kind) {
    case 'button':
      return { buttonsResponseMessage: { selectedButtonId: id, selectedDisplayText: text, type: DISPLAY_TEXT } };
    case 'list':
      return {
        listResponseMessage: { title: text, listType: SINGLE_SELECT, singleSelectReply: { selectedRowId: id } },
      };
    case 'template':
      return { templateButtonReplyMessage: { selectedId: id, selectedDisplayText: text, selectedIndex: 0 } };
    case 'flow': {
      const nativeFlowResponseMessage = { name: 'quick_reply', paramsJson: JSON.stringify({ id }), version: 3 };
      return { interactiveResponseMessage: { body: { text }, nativeFlowResponseMessage } };
    }
  }
};

/** Native flow replies have their id in JSON defined by the business. */
const flowId = (json: string | null | undefined): string | null => {
  try {
    const value: unknown = JSON.parse(json ?? '');
    const hasId = typeof value === 'object' && value !== null && 'id' in value;
    return hasId && typeof value.id === 'string' ? value.id : null;
  } catch {
    return null;
  }
};

const selected = (
  id: string | null | undefined,
  text: string | null | undefined,
  context: proto.IContextInfo | null | undefined,
): Part => ({
  type: 'text',
  members: { text: text ?? '', selection: { id: id || null, text: text || null } },
  context,
});

export const readSelection: PartReader = (content) => {
  const { buttonsResponseMessage: button, listResponseMessage: list } = content;
  const { templateButtonReplyMessage: template, interactiveResponseMessage: flow } = content;
  if (button) return selected(button.selectedButtonId, button.selectedDisplayText, button.contextInfo);
  if (list) return selected(list.singleSelectReply?.selectedRowId, list.title, list.contextInfo);
  if (template) return selected(template.selectedId, template.selectedDisplayText, template.contextInfo);
  if (!flow) return null;
  return selected(flowId(flow.nativeFlowResponseMessage?.paramsJson), flow.body?.text, flow.contextInfo);
};

export const readChoices: PartReader = ({ buttonsMessage, listMessage, templateMessage, interactiveMessage }) => {
  if (buttonsMessage) {
    return { type: 'text', members: { text: buttonsMessage.contentText ?? '' }, context: buttonsMessage.contextInfo };
  }
  if (listMessage) {
    return { type: 'text', members: { text: listMessage.description ?? '' }, context: listMessage.contextInfo };
  }
  if (interactiveMessage) {
    return {
      type: 'text',
      members: { text: interactiveMessage.body?.text ?? '' },
      context: interactiveMessage.contextInfo,
    };
  }
  if (!templateMessage) return null;
  const text = (templateMessage.hydratedTemplate ?? templateMessage.hydratedFourRowTemplate)?.hydratedContentText;
  return { type: 'text', members: { text: text ?? '' }, context: templateMessage.contextInfo };
};

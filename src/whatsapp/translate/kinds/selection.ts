/** Replies to buttons, lists and templates, which name what was selected. */
import type { proto } from '../../engine/proto.ts';
import { cutOrNull, type Kinds, maxText, type Said } from '../parts/kind.ts';

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

/** Replies to native flows carry their id in JSON of the business's making. */
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

/** Answers in words that are not ordinary texts: of an assistant, to a question, to a status. */
import { cut, type Kinds, maxText } from '../parts/kind.ts';

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

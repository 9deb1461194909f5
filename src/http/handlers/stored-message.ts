/** The stored message that a request names by its id. */
import { shownKinds } from '../../domain/messages/annotation.ts';
import type { DeviceScope } from '../../service/sessions/scope.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { notFound } from '../../errors.ts';
import { chatIn } from '../schemas/chat.ts';
import { messageView } from '../schemas/messages/message.ts';
import type { Parts } from '../wire/parts.ts';

interface Named {
  readonly parts: Pick<Parts, 'stores' | 'mediaUrl'>;
  readonly scope: DeviceScope;
  readonly params: { readonly messageId: string };
  readonly query: { readonly chat?: string | undefined };
}

/** Throws NotFound. */
export const storedMessage = async ({ parts, scope, params, query }: Named): Promise<MessageRecord> => {
  const message = await parts.stores.messages.find(scope.id, params.messageId, chatIn(query));
  if (message === null || message.state === 'action') throw notFound('Message');
  return message;
};

/** As callers see it. Throws NotFound. */
export const viewOf = async (named: Named) => {
  const message = await storedMessage(named);
  const [kept] = await named.parts.stores.messages.annotations(named.scope.id, [message], shownKinds);
  return messageView({ ...named, deviceId: named.scope.id }, message, kept);
};

/** The stored message that a request names by its id. */
import type { Services } from '../wire/services.ts';
import type { DeviceScope } from '../../service/sessions/runtimes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { chatIn } from '../views/chat.ts';
import { notFound } from '../../errors.ts';
import { messageViews } from '../views/messages/message.ts';

interface Named {
  readonly services: Pick<Services, 'stores' | 'mediaUrl'>;
  readonly scope: DeviceScope;
  readonly params: { readonly messageId: string };
  readonly query: { readonly chat?: string | undefined };
}

export const storedMessage = async ({ services, scope, params, query }: Named): Promise<MessageRecord> => {
  const message = await services.stores.messages.find(scope.id, params.messageId, chatIn(query));
  if (message === null || message.state === 'action') throw notFound('Message');
  return message;
};

export const viewOf = async (named: Named) => {
  const message = await storedMessage(named);
  const [view] = await messageViews({ ...named, deviceId: named.scope.id }, [message]);
  return view!;
};

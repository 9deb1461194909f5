/** What happened to a group, as reports. */
import type { Report } from '../../domain/changes.ts';
import type { GroupChange, GroupEvent, KeptGroup } from '../../domain/groups/group.ts';
import type { Person } from '../../domain/messages/parts.ts';

export interface Source {
  readonly by: Person | null;
  readonly at: number;
  /** Equal for a report that comes again. */
  readonly key: string | null;
}

type Named = Pick<KeptGroup, 'jid'> & { readonly subject: string | null };

export const eventOf = <K extends GroupEvent['type']>(
  type: K,
  { jid, subject }: Named,
  { by, at, key }: Source,
  more: Omit<Extract<GroupEvent, { type: K }>['data'], 'group' | 'subject' | 'by'>,
): Report => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `more` completes the data of this kind
  const event = { type, data: { group: jid, subject, by, ...more } } as unknown as GroupEvent;
  return { event, at, id: key };
};

export const updatedOf = (group: Named, source: Source, change: GroupChange): Report =>
  eventOf('group.updated', group, source, { change });

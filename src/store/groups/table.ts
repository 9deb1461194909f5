/** The table of groups as Kysely sees it. */
import type { KeptGroup } from '../../domain/groups/group.ts';
import type { SealedJson } from '../sealing/sealer.ts';

export interface GroupsTable {
  device_id: number;
  jid_hash: string;
  /** 1 if the account is a member and it is no community. */
  listed: number;
  data: SealedJson<KeptGroup>;
}

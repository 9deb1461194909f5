/** An account in 500 groups: what listing them asks of the network. */
import assert from 'node:assert/strict';
import type { Recorded } from '../../../sandbox/src/base/recorder.ts';
import { newGroup } from '../../../sandbox/src/server/groups/group.ts';
import type { Installation } from '../../support/installation.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob } from '../steps.ts';

const count = 500;

/** Counts the questions about groups that clients ask; phones of the sandbox are none. */
export class GroupQuestions {
  #asked = 0;

  readonly record = (entry: Recorded): void => {
    if (entry.kind === 'stanza' && entry.from === 'client' && entry.node.attrs['xmlns'] === 'w:g2') this.#asked += 1;
  };

  get asked(): number {
    return this.#asked;
  }
}

/** Groups that Ada is in since before her device was linked. */
export const joinManyGroups = ({ hub }: Installation): void => {
  const [account, owner] = [ada, bob].map((number) => hub.state.registry.byNumber.get(number)!);
  for (let n = 0; n < count; n += 1) {
    const jid = `1203630000000${String(n).padStart(5, '0')}@g.us`;
    const members = new Map([
      [owner!, { admin: true }],
      [account!, { admin: false }],
    ]);
    hub.state.groups.set(
      jid,
      newGroup({ jid, subject: `Group ${n}`, mode: 'lid', owner: owner!, createdAt: 1, members }),
    );
  }
};

/** Lists them twice, and once more after a change; so many questions are asked in all. */
export const assertListed = async (
  { api, phones }: Installation,
  id: number,
  questions: GroupQuestions,
  wanted: number,
): Promise<void> => {
  const before = questions.asked;
  const list = async (): Promise<readonly { jid: string; subject: string; members: unknown[] }[]> =>
    (await api.get(`/devices/${id}/groups?limit=1000`)).body.groups;
  const groups = await list();
  assert.deepEqual([groups.length, groups.every(({ members }) => members.length === 2)], [count, true]);
  const { jid } = groups[0]!;
  const subject = `Tea ${before}`;
  await phones.request('PATCH', `/groups/${jid}`, { subject });
  await eventually('the change', async () => (await list()).find((group) => group.jid === jid)?.subject === subject);
  assert.equal((await list()).length, count);
  assert.equal(questions.asked - before, wanted);
};

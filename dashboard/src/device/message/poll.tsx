/** A poll with its votes. */
import { useRef } from 'react';
import type { Message, Person } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';
import { useShown } from '../shown/shown.ts';
import { useTally } from './tally.ts';

const words = texts.message.poll;

interface OptionProps {
  readonly option: string;
  readonly voters: readonly Person[];
  /** The number of people who have voted. */
  readonly of: number;
}

const Option = ({ option, voters, of }: OptionProps) => {
  const { nameOf } = useShown();
  const names = voters.map(nameOf).join(', ');
  return (
    <li>
      <span>{option}</span>
      <span className="dim">{words.votes(voters.length)}</span>
      <meter min={0} max={Math.max(1, of)} value={voters.length} aria-label={option} />
      {names !== '' && (
        <span className="voters" title={names}>
          {names}
        </span>
      )}
    </li>
  );
};

export const Poll = ({ message }: { readonly message: Message }) => {
  const list = useRef<HTMLUListElement>(null);
  const tally = useTally(message, list);
  if (message.poll === null) return null;
  const { question, options, maxAnswers } = message.poll;
  const votersOf = (option: string) => tally?.options.find((one) => one.option === option)?.voters ?? [];
  return (
    <Part icon={icons.poll} kind={maxAnswers === 1 ? words.one : words.several(maxAnswers)} title={question}>
      <ul className="options" ref={list}>
        {options.map((option) => (
          <Option key={option} option={option} voters={votersOf(option)} of={tally?.voters ?? 0} />
        ))}
      </ul>
      {tally !== null && <span className="dim">{words.voters(tally.voters)}</span>}
    </Part>
  );
};

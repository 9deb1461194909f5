/** Renders again once phone numbers are grouped. */
import { useSyncExternalStore } from 'react';
import { areNumbersGrouped, onNumbersGrouped } from './format.ts';

export const useGroupedNumbers = (): boolean => useSyncExternalStore(onNumbersGrouped, areNumbersGrouped);

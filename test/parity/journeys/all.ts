/** All journeys, the longest first. */
import type { Journey } from '../scenarios.ts';
import { conversation } from './conversation.ts';
import { lid } from './lid.ts';
import { online } from './online.ts';
import { failures } from './failures.ts';

export const journeys: readonly Journey[] = [conversation, failures, lid, online];

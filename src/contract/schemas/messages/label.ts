/** Labels as callers see them (docs/spec/labels.md). */
import { Type } from 'typebox';
import { answer, members, nullableInteger, oneOf, visibleName } from '../../build.ts';
import { labelTypes, maxLabelColor, maxLabelName, maxLabelsOf } from '../../../domain/chats/label.ts';

export const LabelSchema = Type.Object(
  {
    id: Type.String({ examples: ['7'] }),
    name: Type.String({ description: 'Names of the app’s own labels are in the language of the phone' }),
    color: nullableInteger({ description: 'A number of the app’s palette, 0 to 19; null: the phone has set none' }),
    type: oneOf(labelTypes, {
      description:
        '`custom`: made by the owner of the account, and changed by this API. The others are the app’s own; `predefined` ones are put on chats and messages, too',
    }),
  },
  { title: 'Label' },
);

const name = visibleName(maxLabelName, {
  description: `1 to ${maxLabelName} characters, at least one of them visible`,
});

const color = Type.Integer({
  minimum: 0,
  maximum: maxLabelColor,
  description: `A number of the app’s palette, 0 to ${maxLabelColor}`,
  errorMessage: `must be a whole number from 0 to ${maxLabelColor}`,
});

export const CreateLabelSchema = members({ name, color: Type.Optional(color) }, { title: 'CreateLabel' });

export const UpdateLabelSchema = members(
  { name: Type.Optional(name), color: Type.Optional(color) },
  { title: 'UpdateLabel' },
);

export const LabelAnswer = answer({ label: LabelSchema });

const longestId = 64;

export const shownLabels = Type.Array(Type.String(), { description: 'Ids of its labels' });

export const givenLabels = Type.Array(Type.String({ minLength: 1, maxLength: longestId }), {
  maxItems: maxLabelsOf,
  description: `Ids of all labels that it is to have, at most ${maxLabelsOf}; those left out are taken off`,
  errorMessage: `must be a list of at most ${maxLabelsOf} ids of labels`,
});

export const SetLabelsSchema = members({ labels: givenLabels }, { title: 'SetLabels' });

export const labelFilter = Type.String({
  minLength: 1,
  maxLength: longestId,
  description: 'Only those with the label of this id',
  errorMessage: 'must be the id of a label',
});

export const labelEventData = {
  'label.updated': {
    when: 'A label was made, renamed, recoloured or deleted, by this API or on the phone',
    data: Type.Object({
      label: LabelSchema,
      deleted: Type.Boolean({ description: '`true`: it is gone, also from all chats and messages that had it' }),
    }),
  },
};

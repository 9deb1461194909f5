/** The action node: one call of Handset for each item. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { call, listDevices } from '../request.ts';
import { listOf, textOf } from '../values.ts';
import { operations, results } from './operations.ts';
import { properties } from './properties.ts';

const run = async (context: IExecuteFunctions, item: number): Promise<IDataObject[]> => {
  const name = ['resource', 'operation'].map((one) => textOf(context.getNodeParameter(one, item))).join(':');
  const operation = operations[name];
  if (operation === undefined) throw new Error(`There is no operation ${name}`);
  const answer = (await call.call(context, await operation(context, item))) ?? {};
  const member = results[name];
  const { status: _status, ...whole } = answer;
  return listOf(member === undefined ? whole : answer[member]);
};

export class Handset implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Handset',
    name: 'handset',
    icon: { light: 'file:../../icons/handset.svg', dark: 'file:../../icons/handset.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Send messages, reply, react, read and look people up with Handset',
    defaults: { name: 'Handset' },
    usableAsTool: true,
    inputs: ['main'],
    outputs: ['main'],
    credentials: [{ name: 'handsetApi', required: true }],
    properties,
  };

  methods = { loadOptions: { getDevices: listDevices } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (const item of this.getInputData().keys()) {
      try {
        for (const json of await run(this, item)) output.push({ json, pairedItem: { item } });
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        output.push({ json: { error: error instanceof Error ? error.message : String(error) }, pairedItem: { item } });
      }
    }
    return [output];
  }
}

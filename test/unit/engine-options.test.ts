import { expect, test } from 'vitest'
import engineOptions from '../../bin/engine-options.json' with { type: 'json' }
import { nodeOptions } from '../suites/start-command.ts'

test('what is installed starts its engine as `npm start` does', () => {
  expect(engineOptions).toEqual(nodeOptions)
})

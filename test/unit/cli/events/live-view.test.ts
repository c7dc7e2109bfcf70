import { expect, test } from 'vitest'
import { toLiveText } from '../../../../admin/cli/events/live-view.ts'

test.each([
  ['POST_Json_API', 'JSON'],
  ['GET_Base64_API', 'GET v2'],
  ['POST_Later_API', 'POST_Later_API'],
])('an event of %s is shown as of %s, the label of the server', (api, label) => {
  const accepted = { kind: 'accepted', at: 0, type: 'Order', api, peer: '10.0.0.1', fields: {} }
  expect(toLiveText({ event: 'accepted', id: '1', data: JSON.stringify(accepted) }, undefined)).toContain(
    `Order  ${label}  10.0.0.1`,
  )
})

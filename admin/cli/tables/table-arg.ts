import * as Args from '@oclif/core/args'

/** The table that a command is about. */
export const tableArg = Args.string({
  required: true,
  description: 'path of the table, or an event type: Order is /events/Order, by the settings',
})

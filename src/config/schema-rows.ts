import { choice, integer, live, size, text, url } from './setting.ts'

/** Where schemas of event types come from, and what happens to events that do not fit theirs. */
export const schemaRows = {
  'registrar.url': url(['http:', 'https:'], { sentence: 'Address of the schema registry.' }, true),
  'registrar.path': text(undefined, {
    sentence:
      'Schemas from files instead: a file with the names of fields by event type, or a directory of JSON Schemas, `<type>.json`.',
  }),
  'registrar.refresh-seconds': integer(90, {
    sentence:
      'How long its answers, or what the file says, are used; a directory is looked at every 5 seconds at least.',
    unit: 'seconds',
    min: 1,
  }),
  'collector.validation': live(
    choice(['off', 'warn', 'set-aside', 'reject'], 'warn', {
      sentence:
        'Events that do not fit their schema: `warn` keeps and counts them and names them in the Warning, `reject` refuses them, `set-aside` keeps them in full, but apart, in `_refused`. A JSON Schema says it for its type by `x-sluice-validation`.',
    }),
  ),
  'collector.refused.max-bytes-per-hour': live(
    size(64 * 1024 * 1024, {
      sentence:
        'The size of refused events that is stored in `_refused` in an hour; further ones are only counted. Events that a contract sets aside are always stored.',
      min: 0,
    }),
  ),
} as const

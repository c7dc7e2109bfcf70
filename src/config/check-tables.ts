import type { Settings } from './table.ts'

/** What tables need of the other settings. */
export const checkTables = (settings: Settings): readonly string[] => {
  const problems: string[] = [...checkCatalog(settings)]
  if (settings['collector.output.table'] === 'none') {
    if (settings['collector.compaction.mode'] !== 'off')
      problems.push(
        'collector.compaction.mode hourly requires collector.output.table iceberg: only tables are compacted',
      )
    if (Object.keys(settings['collector.retention']).length > 0)
      problems.push('collector.retention requires collector.output.table iceberg: only rows of tables are removed')
    if (settings['collector.event-ids.column'])
      problems.push('collector.event-ids.column requires collector.output.table iceberg: only tables have that column')
    return problems
  }
  const format = settings['collector.output.format']
  if (format !== 'parquet') {
    problems.push(
      `collector.output.table iceberg needs collector.output.format parquet, and it is ${format}: the files of a table are Parquet`,
    )
  }
  if (settings['collector.output.layout'] !== 'dated') {
    problems.push(
      `collector.output.layout ${settings['collector.output.layout']} cannot be used with collector.output.table iceberg: a table is partitioned by the hour of eventDate. Leave collector.output.layout out`,
    )
  }
  if (settings['collector.event-output-directory'] === '/') {
    problems.push(
      'collector.output.table iceberg needs a collector.event-output-directory below /, such as /events: it holds a table for each event type',
    )
  }
  return problems
}

const checkCatalog = (settings: Settings): readonly string[] => {
  const problems: string[] = []
  const hasCatalog = settings['collector.output.catalog'] !== 'none'
  if (hasCatalog && settings['collector.output.table'] === 'none')
    problems.push('collector.output.catalog requires collector.output.table iceberg')
  const rest = ['warehouse', 'prefix', 'token', 'credential', 'oauth2-server-uri'] as const
  const given = rest.map(name => `collector.output.rest.${name}` as const).find(key => settings[key] !== undefined)
  if (!hasCatalog && given)
    problems.push(`collector.output.catalog is needed with ${given}: it says where the catalog is`)
  const { 'collector.output.rest.token': token, 'collector.output.rest.credential': credential } = settings
  if (token !== undefined && credential !== undefined)
    problems.push('collector.output.rest.token excludes collector.output.rest.credential: one says who this server is')
  if (credential !== undefined && !/^[^:]+:./.test(credential))
    problems.push('collector.output.rest.credential is not client-id:client-secret')
  return problems
}

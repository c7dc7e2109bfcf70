import type { Command } from '@oclif/core/command'

/** The commands of one module by their ids, which are known before it is read. */
const commandsIn = <Commands extends Readonly<Record<string, Command.Class>>>(
  load: () => Promise<{ readonly commands: Commands }>,
  ids: readonly (keyof Commands & string)[],
) => ids.map(id => [id, async () => (await load()).commands[id] as Command.Class] as const)

/**
 * Every command by its words, loaded only when it is called: reading all of their files would take longer than most of
 * them run.
 */
export const commandLoaders: Readonly<Record<string, () => Promise<Command.Class>>> = Object.fromEntries([
  ...commandsIn(
    () => import('./commands/beans.ts'),
    ['beans:call', 'beans:get', 'beans:list', 'beans:search', 'beans:set'],
  ),
  ...commandsIn(() => import('./commands/compact.ts'), ['compact']),
  ...commandsIn(() => import('./commands/completion.ts'), ['completion', 'completion:names']),
  ...commandsIn(() => import('./commands/config.ts'), ['config']),
  ...commandsIn(() => import('./commands/doctor.ts'), ['doctor']),
  ...commandsIn(() => import('./commands/drain.ts'), ['drain']),
  ...commandsIn(() => import('./commands/flush.ts'), ['flush:disable', 'flush:enable', 'flush:now', 'flush:status']),
  ...commandsIn(() => import('./commands/fs/cat.ts'), ['fs:cat']),
  ...commandsIn(() => import('./commands/fs/du.ts'), ['fs:du']),
  ...commandsIn(() => import('./commands/fs/find.ts'), ['fs:find']),
  ...commandsIn(() => import('./commands/fs/get.ts'), ['fs:get']),
  ...commandsIn(() => import('./commands/fs/ls.ts'), ['fs:ls']),
  ...commandsIn(() => import('./commands/fs/mkdir.ts'), ['fs:mkdir']),
  ...commandsIn(() => import('./commands/fs/mv.ts'), ['fs:mv']),
  ...commandsIn(() => import('./commands/fs/put.ts'), ['fs:put']),
  ...commandsIn(() => import('./commands/fs/rm.ts'), ['fs:rm']),
  ...commandsIn(() => import('./commands/fs/rows.ts'), ['fs:rows']),
  ...commandsIn(() => import('./commands/fs/tail.ts'), ['fs:tail']),
  ...commandsIn(() => import('./commands/health.ts'), ['health']),
  ...commandsIn(() => import('./commands/open.ts'), ['open']),
  ...commandsIn(() => import('./commands/realtime.ts'), ['realtime:disable', 'realtime:enable', 'realtime:status']),
  ...commandsIn(() => import('./commands/schema.ts'), ['schema:check', 'schema:infer']),
  ...commandsIn(
    () => import('./commands/refused.ts'),
    ['refused:export', 'refused:list', 'refused:replay', 'refused:show'],
  ),
  ...commandsIn(() => import('./commands/send.ts'), ['send']),
  ...commandsIn(() => import('./commands/serve.ts'), ['serve']),
  ...commandsIn(() => import('./commands/spool-adopt.ts'), ['spool:adopt']),
  ...commandsIn(() => import('./commands/spool.ts'), ['spool:dump', 'spool:list', 'spool:replay', 'spool:verify']),
  ...commandsIn(() => import('./commands/spool-import.ts'), ['spool:import']),
  ...commandsIn(
    () => import('./commands/spool-quarantine.ts'),
    ['spool:quarantine:list', 'spool:quarantine:release', 'spool:quarantine:remove', 'spool:quarantine:show'],
  ),
  ...commandsIn(() => import('./commands/spool-strays.ts'), ['spool:strays', 'spool:strays:remove']),
  ...commandsIn(() => import('./commands/stats.ts'), ['stats']),
  ...commandsIn(() => import('./commands/status.ts'), ['status']),
  ...commandsIn(
    () => import('./commands/tables/table.ts'),
    ['table:check', 'table:expire', 'table:history', 'table:import', 'table:list', 'table:show'],
  ),
  ...commandsIn(() => import('./commands/tables/repeats.ts'), ['table:repeats']),
  ...commandsIn(() => import('./commands/tables/retain.ts'), ['table:retain']),
  ...commandsIn(() => import('./commands/tail.ts'), ['tail']),
  ...commandsIn(() => import('./commands/token.ts'), ['token:create', 'token:hadoop', 'token:list']),
])

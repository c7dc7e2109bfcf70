import type { Command } from '@oclif/core/command'

/**
 * Every command by its words, loaded only when it is called: reading all of their files would take longer than most of
 * them run.
 */
export const commandLoaders: Readonly<Record<string, () => Promise<Command.Class>>> = {
  'beans:call': async () => (await import('./commands/beans/call.ts')).BeansCall,
  'beans:get': async () => (await import('./commands/beans/get.ts')).BeansGet,
  'beans:list': async () => (await import('./commands/beans/list.ts')).BeansList,
  'beans:search': async () => (await import('./commands/beans/search.ts')).BeansSearch,
  'beans:set': async () => (await import('./commands/beans/set.ts')).BeansSet,
  completion: async () => (await import('./commands/completion.ts')).Completion,
  config: async () => (await import('./commands/config.ts')).ConfigCommand,
  'flush:disable': async () => (await import('./commands/flush/disable.ts')).FlushDisable,
  'flush:enable': async () => (await import('./commands/flush/enable.ts')).FlushEnable,
  'flush:now': async () => (await import('./commands/flush/now.ts')).FlushNow,
  'flush:status': async () => (await import('./commands/flush/status.ts')).FlushStatusCommand,
  'fs:cat': async () => (await import('./commands/fs/cat.ts')).FsCat,
  'fs:get': async () => (await import('./commands/fs/get.ts')).FsGet,
  'fs:ls': async () => (await import('./commands/fs/ls.ts')).FsLs,
  'fs:put': async () => (await import('./commands/fs/put.ts')).FsPut,
  'fs:rm': async () => (await import('./commands/fs/rm.ts')).FsRm,
  'fs:rows': async () => (await import('./commands/fs/rows.ts')).FsRows,
  health: async () => (await import('./commands/health.ts')).HealthCommand,
  'realtime:disable': async () => (await import('./commands/realtime/disable.ts')).RealtimeDisable,
  'realtime:enable': async () => (await import('./commands/realtime/enable.ts')).RealtimeEnable,
  'realtime:status': async () => (await import('./commands/realtime/status.ts')).RealtimeStatusCommand,
  serve: async () => (await import('./commands/serve.ts')).Serve,
  'spool:dump': async () => (await import('./commands/spool/dump.ts')).SpoolDump,
  'spool:import': async () => (await import('./commands/spool/import.ts')).SpoolImport,
  'spool:list': async () => (await import('./commands/spool/list.ts')).SpoolList,
  'spool:quarantine:list': async () => (await import('./commands/spool/quarantine/list.ts')).SpoolQuarantineList,
  'spool:quarantine:release': async () =>
    (await import('./commands/spool/quarantine/release.ts')).SpoolQuarantineRelease,
  'spool:quarantine:remove': async () => (await import('./commands/spool/quarantine/remove.ts')).SpoolQuarantineRemove,
  'spool:quarantine:show': async () => (await import('./commands/spool/quarantine/show.ts')).SpoolQuarantineShow,
  'spool:replay': async () => (await import('./commands/spool/replay.ts')).SpoolReplay,
  'spool:strays': async () => (await import('./commands/spool/strays.ts')).SpoolStrays,
  'spool:strays:remove': async () => (await import('./commands/spool/strays/remove.ts')).SpoolStraysRemove,
  'spool:verify': async () => (await import('./commands/spool/verify.ts')).SpoolVerify,
  stats: async () => (await import('./commands/stats.ts')).Stats,
  'token:create': async () => (await import('./commands/token/create.ts')).TokenCreate,
}

import type { Problem } from '../problems.ts'

/** The item of the health report that speaks of files of tables, where some could not be merged. */
export const compactionItem = 'CompactionHealthCheck'

/** What that means, and what to do. @param problem what the last pass could not merge; empty where it could all */
export const toCompactionProblems = (problem: string): readonly Problem[] =>
  problem === ''
    ? []
    : [
        {
          item: compactionItem,
          part: 'filesystem',
          code: 'WARN',
          word: 'Compaction',
          problem: `Files of tables could not be merged or removed: ${problem}`,
          since: undefined,
          meaning: 'Nothing is lost: there are more files than need be, or rows beyond their retention.',
          advice: 'It is retried each hour. See what is wrong with the table.',
          command: 'sluice table check --help',
          runbook: 'docs/runbook.md#sluicecompactionfails',
        },
      ]

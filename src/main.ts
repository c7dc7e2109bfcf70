import { createApp } from './app/app.ts'
import { run } from './app/run.ts'

await run(createApp)

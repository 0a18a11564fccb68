/** What a thread of a rebuild runs: it folds one share with a database connection of its own. */
import { foldInThread } from './compose.ts'

foldInThread()

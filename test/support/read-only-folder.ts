// Imported into a program, lets all writes below the folder READ_ONLY_FOLDER fail as on a disk that is mounted for reading.
import { refuseWrites } from '../../src/blobs/folder/testing/refusing-calls.ts';

const { READ_ONLY_FOLDER } = process.env;
if (READ_ONLY_FOLDER !== undefined) refuseWrites(READ_ONLY_FOLDER, 'EROFS');

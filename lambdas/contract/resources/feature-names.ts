import * as z from 'zod/mini';
import { documented } from '../schema';

export const featureNames = documented(z.array(z.string()), { description: 'The names of the features that the buyer may use, sorted.' });

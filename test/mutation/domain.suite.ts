import { suite } from './suite';

suite('test/unit/domain');

// Makes a hash cost no more than its way to a thread and back, to measure everything else. It fits any password.
import bcrypt from 'bcryptjs';

const hash = bcrypt.hashSync('any password', 4).slice('$2b$04$'.length);

bcrypt.compareSync = () => true;
bcrypt.hashSync = (_password, cost) => `$2b$${String(cost).padStart(2, '0')}$${hash}`;

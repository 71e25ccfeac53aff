// What the library says of itself, in the other languages: methods, options, rules of proofs. A sentence that is not here
// is shown in English and marked so; a test holds the list to what the page shows. {} stands for a number.
import type { Language } from "../store";

type Others = Record<Exclude<Language, "en">, string>;
const both = (es: string, ru: string): Others => ({ es, ru });

const sentences: Record<string, Others> = {
  // methods
  "support vector classification": both("clasificación con vectores soporte", "классификация опорными векторами"),
  "support vector classification with a bound on the errors": both("clasificación con vectores soporte y una cota para los errores", "классификация опорными векторами с границей на долю ошибок"),
  "linear support vector classification by coordinate descent": both("clasificación lineal con vectores soporte, por descenso por coordenadas", "линейная классификация опорными векторами покоординатным спуском"),
  "support vector classification by stochastic subgradient steps": both("clasificación con vectores soporte por pasos de subgradiente estocástico", "классификация опорными векторами шагами стохастического субградиента"),
  "kernel logistic regression: classes with probabilities": both("regresión logística con kernel: clases con probabilidades", "ядерная логистическая регрессия: классы с вероятностями"),
  "k nearest neighbours in feature space": both("los k vecinos más cercanos en el espacio de características", "k ближайших соседей в пространстве признаков"),
  "the nearest class mean in feature space": both("la media de clase más cercana en el espacio de características", "ближайшее среднее класса в пространстве признаков"),
  "the nearest class medoid: one object stands for each class": both("el medoide de clase más cercano: un objeto representa a cada clase", "ближайший медоид класса: каждый класс представлен одним объектом"),
  "directions that separate the classes, and the nearest mean there": both("direcciones que separan las clases, y la media más cercana en ellas", "направления, разделяющие классы, и ближайшее среднее в них"),
  "kernel logistic regression on a few centres: classes with probabilities, for millions of examples": both("regresión logística con kernel sobre unos pocos centros: clases con probabilidades, para millones de ejemplos", "ядерная логистическая регрессия на немногих центрах: классы с вероятностями, для миллионов примеров"),
  "support vector machine on a few centres, for millions of examples; squared hinge loss, or hinge": both("máquina de vectores soporte sobre unos pocos centros, para millones de ejemplos; pérdida bisagra al cuadrado, o bisagra", "машина опорных векторов на немногих центрах, для миллионов примеров; квадрат кусочно-линейных потерь или они сами"),
  "squared_hinge by passes that store nothing; hinge by features of all examples, kept in memory, with a penalised offset": both("squared_hinge por pasadas que no guardan nada; hinge por las características de todos los ejemplos, guardadas en memoria, con el término independiente penalizado", "squared_hinge проходами, которые ничего не хранят; hinge по признакам всех примеров, хранимым в памяти, со штрафом на сдвиг"),
  "support vector machines in cells of the feature space, for millions of examples": both("máquinas de vectores soporte en celdas del espacio de características, para millones de ejemplos", "машины опорных векторов в ячейках пространства признаков, для миллионов примеров"),
  "kernel logistic regression in cells of the feature space: probabilities for millions of examples": both("regresión logística con kernel en celdas del espacio de características: probabilidades para millones de ejemplos", "ядерная логистическая регрессия в ячейках пространства признаков: вероятности для миллионов примеров"),
  "support vector regression": both("regresión con vectores soporte", "регрессия опорными векторами"),
  "support vector regression that finds the width of its tube": both("regresión con vectores soporte que halla el ancho de su tubo", "регрессия опорными векторами, которая сама находит ширину трубки"),
  "ridge regression on vectors": both("regresión ridge sobre vectores", "гребневая регрессия на векторах"),
  "kernel ridge regression": both("regresión ridge con kernel", "ядерная гребневая регрессия"),
  "the mean of the k nearest neighbours in feature space": both("la media de los k vecinos más cercanos en el espacio de características", "среднее k ближайших соседей в пространстве признаков"),
  "kernel ridge regression on a few centres, for millions of examples": both("regresión ridge con kernel sobre unos pocos centros, para millones de ejemplos", "ядерная гребневая регрессия на немногих центрах, для миллионов примеров"),
  "support vector regression in cells of the feature space, for millions of examples": both("regresión con vectores soporte en celdas del espacio de características, para millones de ejemplos", "регрессия опорными векторами в ячейках пространства признаков, для миллионов примеров"),
  "kernel ridge regression in cells of the feature space, for millions of examples": both("regresión ridge con kernel en celdas del espacio de características, para millones de ejemplos", "ядерная гребневая регрессия в ячейках пространства признаков, для миллионов примеров"),
  "the region that holds most of the objects": both("la región que contiene la mayoría de los objetos", "область, в которой лежит большинство объектов"),
  "k-means in feature space": both("k-means en el espacio de características", "k-средних в пространстве признаков"),
  "k objects that stand for all, by FasterPAM": both("k objetos que representan a todos, por FasterPAM", "k объектов, представляющих все остальные, методом FasterPAM"),
  "k-means in the span of a few centres, for millions of examples": both("k-means en el espacio generado por unos pocos centros, para millones de ejemplos", "k-средних в оболочке немногих центров, для миллионов примеров"),
  "normalised cuts with the kernel as affinity, on a few centres, for millions of examples": both("cortes normalizados con el kernel como afinidad, sobre unos pocos centros, para millones de ejemplos", "нормализованные разрезы с ядром как мерой близости, на немногих центрах, для миллионов примеров"),
  "principal components in feature space": both("componentes principales en el espacio de características", "главные компоненты в пространстве признаков"),
  "random features: Fourier's of rbf, laplacian and matern, count sketches of poly and linear": both("características aleatorias: de Fourier para rbf, laplacian y matern; bocetos de recuento para poly y linear", "случайные признаки: Фурье для rbf, laplacian и matern, счётные эскизы для poly и linear"),
  "density estimation: how usual an object is": both("estimación de la densidad: cuán habitual es un objeto", "оценка плотности: насколько объект обычен"),

  // options
  "price of an error; inf: none allowed": both("precio de un error; inf: no se permite ninguno", "цена ошибки; inf: ошибки не допускаются"),
  "price of an error": both("precio de un error", "цена ошибки"),
  "the gap at which training ends": both("la brecha con la que termina el entrenamiento", "разрыв, при котором обучение заканчивается"),
  "the relative gap at which training ends": both("la brecha relativa con la que termina el entrenamiento", "относительный разрыв, при котором обучение заканчивается"),
  "stop after so long and keep what there is; 0: no limit": both("parar tras este tiempo y conservar lo que haya; 0: sin límite", "остановиться через столько секунд с тем, что есть; 0: без предела"),
  "pairs solved at most in each binary problem; -1: no limit": both("pares resueltos como máximo en cada problema binario; -1: sin límite", "не больше стольких пар в каждой двухклассовой задаче; -1: без предела"),
  "set examples aside whose variables will stay at a bound": both("apartar los ejemplos cuyas variables se quedarán en un extremo", "откладывать примеры, чьи переменные останутся на границе"),
  "more than two: each against each, or each against the rest": both("con más de dos clases: cada una contra cada una, o contra todas las demás", "если классов больше двух: каждый с каждым или каждый против остальных"),
  "the dual by SMO or as a quadratic program, the primal as one (linear kernel), or stochastic descent": both("el dual por SMO o como programa cuadrático, el primal como tal (kernel lineal), o descenso estocástico", "двойственная задача методом SMO или как квадратичная программа, прямая как она же (линейное ядро) или стохастический спуск"),
  "probabilities as well, by cross-validation": both("también probabilidades, por validación cruzada", "ещё и вероятности, по кросс-валидации"),
  "of the parts of that cross-validation, of stochastic descent": both("de las partes de esa validación cruzada, del descenso estocástico", "для частей этой кросс-валидации, для стохастического спуска"),
  "of the parts of that cross-validation": both("de las partes de esa validación cruzada", "для частей этой кросс-валидации"),
  "bound on the share of errors, and below it on that of support vectors": both("cota superior de la proporción de errores, e inferior de la de vectores soporte", "граница сверху на долю ошибок и снизу на долю опорных векторов"),
  "ξ² or ξ": both("ξ² o ξ", "ξ² или ξ"),
  "½‖w‖², or ‖w‖₁, which leaves features out": both("½‖w‖², o ‖w‖₁, que deja fuera características", "½‖w‖² или ‖w‖₁, которая отбрасывает признаки"),
  "with an offset: the weight of one more coordinate, penalised like the others": both("con término independiente: el peso de una coordenada más, penalizado como los otros", "со сдвигом: вес ещё одной координаты со штрафом, как у других"),
  "s, the value of that coordinate": both("s, el valor de esa coordenada", "s, значение этой координаты"),
  "passes over the data at most": both("pasadas por los datos como máximo", "проходов по данным не больше"),
  "of the order of the examples": both("del orden de los ejemplos", "для порядка примеров"),
  "examples a step": both("ejemplos por paso", "примеров за шаг"),
  "onto the ball that holds the optimum, after each step; linear kernel only": both("sobre la bola que contiene el óptimo, tras cada paso; solo con kernel lineal", "на шар, содержащий оптимум, после каждого шага; только для линейного ядра"),
  "the answer is the mean over the steps, else the last one": both("la respuesta es la media de los pasos; si no, el último", "ответ — среднее по шагам, иначе последний шаг"),
  "with an offset, without a price": both("con término independiente, sin precio", "со сдвигом, без штрафа"),
  "with an offset b, not penalised": both("con término independiente b, sin penalización", "со сдвигом b, без штрафа"),
  "1/λ": both("1/λ", "1/λ"),
  "with an offset": both("con término independiente", "со сдвигом"),
  "with an offset b": both("con término independiente b", "со сдвигом b"),
  "of the gap, relative to the objective": both("de la brecha, en relación con el objetivo", "для разрыва относительно целевой функции"),
  "of the duality gap, relative to the objective": both("de la brecha de dualidad, en relación con el objetivo", "для разрыва двойственности относительно целевой функции"),
  "Newton steps at most": both("pasos de Newton como máximo", "шагов Ньютона не больше"),
  "how many vote": both("cuántos votan", "сколько соседей голосует"),
  "votes: 1 each, or 1/distance": both("votos: 1 cada uno, o 1/distancia", "голоса: по 1 или 1/расстояние"),
  "μ, relative to the mean of N's diagonal": both("μ, en relación con la media de la diagonal de N", "μ относительно среднего диагонали N"),
  "examples that stand for all, at most": both("ejemplos que representan a todos, como máximo", "не больше стольких примеров представляют все остальные"),
  "how they are chosen: randomly pivoted Cholesky, each alike (mixed: a third by the first, the others by the second), far apart in feature space, by number": both("cómo se eligen: Cholesky con pivotes aleatorios, todos por igual (mixed: un tercio de la primera manera, los demás de la segunda), alejados en el espacio de características, por número", "как они выбираются: разложением Холецкого со случайными ведущими, равновероятно (mixed: треть первым способом, остальные вторым), далеко друг от друга в пространстве признаков, по номерам"),
  "given: their numbers, from 0": both("dados: sus números, desde 0", "заданные: их номера, считая с 0"),
  "of what is drawn": both("de lo que se sortea", "для случайного выбора"),
  "above 0: as many centres, in place of n_centres, as leave this share of the trace of the kernel matrix out of reach, as far as memory and time go": both("mayor que 0: en lugar de n_centres, tantos centros que solo esta parte de la traza de la matriz del kernel quede fuera de alcance, según memoria y tiempo", "больше 0: вместо n_centres столько центров, чтобы неохваченной осталась эта доля следа матрицы ядра, насколько хватит памяти и времени"),
  "fit with twice as many centres too, and say by how much the answer changes": both("ajustar también con el doble de centros y decir cuánto cambia la respuesta", "обучить и с вдвое большим числом центров и сказать, насколько изменится ответ"),
  "passes over the examples at most": both("pasadas por los ejemplos como máximo", "проходов по примерам не больше"),
  "examples of a cell, about; twice as many at most": both("ejemplos de una celda, más o menos; el doble como máximo", "примеров в ячейке, примерно; не больше чем вдвое"),
  "a cell has to do with what is no farther from its centre than 1 + overlap times the nearest one's": both("a una celda le toca lo que no está más lejos de su centro que 1 + overlap veces la distancia al más cercano", "к ячейке относится то, что не дальше от её центра, чем 1 + overlap расстояний до ближайшего"),
  "the numbers of kernel and machine are chosen in every cell, by cross-validation": both("los números del kernel y de la máquina se eligen en cada celda, por validación cruzada", "числа ядра и машины выбираются в каждой ячейке по кросс-валидации"),
  "of the centres": both("de los centros", "для центров"),
  "half the width of the tube in which errors cost nothing": both("la mitad del ancho del tubo en el que los errores no cuestan nada", "половина ширины трубки, в которой ошибки ничего не стоят"),
  "λ, the price of large coefficients": both("λ, el precio de los coeficientes grandes", "λ, цена больших коэффициентов"),
  "several λ: the best by `score` is kept": both("varios λ: se conserva el mejor según `score`", "несколько λ: остаётся лучшее по `score`"),
  "how λ is chosen: leave-one-out or generalised cross-validation": both("cómo se elige λ: dejando uno fuera o por validación cruzada generalizada", "как выбирается λ: скользящий контроль или обобщённая кросс-валидация"),
  "how λ is chosen: generalised cross-validation or leave-one-out": both("cómo se elige λ: por validación cruzada generalizada o dejando uno fuera", "как выбирается λ: обобщённая кросс-валидация или скользящий контроль"),
  "which equations are solved": both("qué ecuaciones se resuelven", "какие уравнения решаются"),
  "one λ for each column of targets": both("un λ por cada columna de objetivos", "своё λ для каждого целевого столбца"),
  "leave-one-out error as well": both("también el error dejando uno fuera", "ещё и ошибка скользящего контроля"),
  "keep what variances of predictions need": both("conservar lo necesario para las varianzas de las predicciones", "хранить то, что нужно для дисперсий предсказаний"),
  "a decomposition, or conjugate gradients without n² numbers in memory; automatic: what fits": both("una descomposición, o gradientes conjugados sin n² números en memoria; automatic: lo que quepa", "разложение или сопряжённые градиенты без n² чисел в памяти; automatic: что помещается"),
  "cg: ‖y - (K + λI)α‖ <= tol·‖y‖": both("cg: ‖y - (K + λI)α‖ <= tol·‖y‖", "cg: ‖y - (K + λI)α‖ <= tol·‖y‖"),
  "cg: products with K at most": both("cg: productos con K como máximo", "cg: умножений на K не больше"),
  "errors up to this cost nothing": both("los errores hasta este valor no cuestan nada", "ошибки до этого значения ничего не стоят"),
  "D, features": both("D, características", "D, признаков"),
  "at right angles to each other, which takes from the variance; each by itself; at right angles by fast transforms, for many coordinates (rbf, matern)": both("en ángulo recto entre sí, lo que reduce la varianza; cada una por separado; en ángulo recto por transformadas rápidas, para muchas coordenadas (rbf, matern)", "под прямыми углами друг к другу, что уменьшает дисперсию; каждая сама по себе; под прямыми углами с помощью быстрых преобразований, для многих координат (rbf, matern)"),
  "how many": both("cuántos", "сколько"),
  "restarts, of which the best is kept": both("reinicios, de los que se conserva el mejor", "перезапусков, из которых остаётся лучший"),
  "restarts on a sample of the examples, of which the best is kept": both("reinicios sobre una muestra de los ejemplos, de los que se conserva el mejor", "перезапусков на выборке примеров, из которых остаётся лучший"),
  "ends where a round lowers the objective by no more than this share of it": both("termina cuando una ronda reduce el objetivo en no más de esta parte de él", "заканчивается, когда раунд уменьшает цель не более чем на эту её долю"),
  "rounds, each a pass over the examples, at most": both("rondas como máximo, cada una una pasada por los ejemplos", "раундов не больше, каждый — проход по примерам"),
  "passes over the examples at most, and rounds of k-means": both("pasadas por los ejemplos como máximo, y rondas de k-means", "проходов по примерам не больше, и раундов k-средних"),
  "rounds at most": both("rondas como máximo", "раундов не больше"),
  "of the random starts": both("de los comienzos aleatorios", "для случайных начал"),
  "the first medoids": both("los primeros medoides", "начальные медоиды"),
  "random starts, of which the best is kept": both("comienzos aleatorios, de los que se conserva el mejor", "случайных начал, из которых остаётся лучшее"),
  "how many; 0: all above rounding": both("cuántas; 0: todas las que superan el redondeo", "сколько; 0: все, что больше ошибок округления"),
  "of the eigenproblem": both("del problema de valores propios", "для задачи на собственные значения"),
  "iterative: ‖Au - λu‖ <= tol·λ₁": both("iterative: ‖Au - λu‖ <= tol·λ₁", "iterative: ‖Au - λu‖ <= tol·λ₁"),
  "iterative: passes over K at most": both("iterative: pasadas por K como máximo", "iterative: проходов по K не больше"),
  "iterative: of the starting block": both("iterative: del bloque inicial", "iterative: для начального блока"),

  // rules of proofs
  "linear: the inner product of the data themselves": both("lineal: el producto interno de los propios datos", "линейное: скалярное произведение самих данных"),
  "constant: the inner product of the one-dimensional feature √c": both("constante: el producto interno de la característica unidimensional √c", "константа: скалярное произведение одномерного признака √c"),
  "polynomial: a power of γ·linear + constant, by the rules for scale, sum and product": both("polinómico: una potencia de γ·lineal + constante, por las reglas de escala, suma y producto", "полиномиальное: степень γ·линейное + константа, по правилам умножения на число, суммы и произведения"),
  "Gaussian: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), exp of a kernel conjugated by h(x) = exp(-γ‖x‖²)": both("gaussiano: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), exp de un kernel conjugada por h(x) = exp(-γ‖x‖²)", "гауссово: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), экспонента ядра, сопряжённая с h(x) = exp(-γ‖x‖²)"),
  "anisotropic Gaussian: the Gaussian pulled back by x ↦ L⁻¹x, Σ = LLᵀ": both("gaussiano anisótropo: el gaussiano compuesto con x ↦ L⁻¹x, Σ = LLᵀ", "анизотропное гауссово: гауссово после x ↦ L⁻¹x, Σ = LLᵀ"),
  "cosine: the linear kernel normalised": both("coseno: el kernel lineal normalizado", "косинус: нормированное линейное ядро"),
  "no rule: tanh has negative Taylor coefficients, so the sigmoid is not positive semidefinite in general": both("sin regla: tanh tiene coeficientes de Taylor negativos, así que la sigmoide no es en general semidefinida positiva", "нет правила: у tanh есть отрицательные коэффициенты Тейлора, поэтому сигмоида, вообще говоря, не положительно полуопределена"),
  "all subsets: a product over coordinates of 1 + xₐzₐ, each a sum of two kernels": both("todos los subconjuntos: un producto sobre las coordenadas de 1 + xₐzₐ, cada uno suma de dos kernels", "все подмножества: произведение по координатам 1 + xₐzₐ, каждое — сумма двух ядер"),
  "bilinear: A = RᵀR, so xᵀAz is the linear kernel pulled back by x ↦ Rx": both("bilineal: A = RᵀR, así que xᵀAz es el kernel lineal compuesto con x ↦ Rx", "билинейное: A = RᵀR, поэтому xᵀAz — линейное ядро после x ↦ Rx"),
  "Laplacian: a product over coordinates of e^(-γ|t|), the Fourier transform of the positive Cauchy density (Bochner)": both("laplaciano: un producto sobre las coordenadas de e^(-γ|t|), la transformada de Fourier de la densidad positiva de Cauchy (Bochner)", "лапласово: произведение по координатам e^(-γ|t|), преобразования Фурье положительной плотности Коши (Бохнер)"),
  "χ²: Σ(x-z)²/(x+z) is of negative type on x, z >= 0, so e^(-γ·) of it is a kernel (Schoenberg)": both("χ²: Σ(x-z)²/(x+z) es de tipo negativo para x, z >= 0, así que su e^(-γ·) es un kernel (Schoenberg)", "χ²: Σ(x-z)²/(x+z) при x, z >= 0 отрицательного типа, поэтому e^(-γ·) от неё — ядро (Шёнберг)"),
  "histogram intersection: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt for a, b >= 0, summed over coordinates": both("intersección de histogramas: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt para a, b >= 0, sumado sobre las coordenadas", "пересечение гистограмм: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt при a, b >= 0, сумма по координатам"),
  "Matérn: the Fourier transform of a positive density, a Student t (Bochner)": both("Matérn: la transformada de Fourier de una densidad positiva, una t de Student (Bochner)", "Матерна: преобразование Фурье положительной плотности, распределения Стьюдента (Бохнер)"),
  "rational quadratic: a sum (integral) of Gaussians with non-negative weights, the Gamma density": both("cuadrático racional: una suma (integral) de gaussianos con pesos no negativos, la densidad gamma", "рациональное квадратичное: сумма (интеграл) гауссовых с неотрицательными весами, гамма-плотностью"),
  "periodic: the Gaussian pulled back by xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)": both("periódico: el gaussiano compuesto con xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)", "периодическое: гауссово после xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)"),
  "scale: c·k is a kernel for c >= 0": both("escala: c·k es un kernel si c >= 0", "умножение на число: c·k — ядро при c >= 0"),
  "sum: k₁ + k₂ is a kernel": both("suma: k₁ + k₂ es un kernel", "сумма: k₁ + k₂ — ядро"),
  "product: k₁k₂ is a kernel (Schur)": both("producto: k₁k₂ es un kernel (Schur)", "произведение: k₁k₂ — ядро (Шур)"),
  "power: k^m is a product of kernels for whole m >= 0": both("potencia: k^m es un producto de kernels si m >= 0 es entero", "степень: k^m — произведение ядер при целом m >= 0"),
  "polynomial with non-negative coefficients of a kernel: sums of scaled powers": both("polinomio de un kernel con coeficientes no negativos: sumas de potencias escaladas", "многочлен от ядра с неотрицательными коэффициентами: суммы степеней с множителями"),
  "all coefficients >= 0": both("todos los coeficientes >= 0", "все коэффициенты >= 0"),
  "exp: the limit of polynomials Σ kⁱ/i! with non-negative coefficients": both("exp: el límite de los polinomios Σ kⁱ/i!, de coeficientes no negativos", "exp: предел многочленов Σ kⁱ/i! с неотрицательными коэффициентами"),
  "normalised: conjugation by h(x) = 1/√k(x,x), 0 where k(x,x) = 0": both("normalizado: conjugación por h(x) = 1/√k(x,x), 0 donde k(x,x) = 0", "нормированное: сопряжение с h(x) = 1/√k(x,x), 0 там, где k(x,x) = 0"),
  "no rule: the factor c = {} is negative": both("sin regla: el factor c = {} es negativo", "нет правила: множитель c = {} отрицателен"),
  "no rule: k^m with m = {}, not a whole number >= {}, need not be a kernel": both("sin regla: k^m con m = {}, que no es un entero >= {}, no tiene por qué ser un kernel", "нет правила: k^m с m = {}, не целым числом >= {}, ядром быть не обязано"),
  "no rule: coefficient c{} = {} is negative": both("sin regla: el coeficiente c{} = {} es negativo", "нет правила: коэффициент c{} = {} отрицателен"),
};

export interface Said {
  text: string;
  lang: "en" | undefined; // where it is not the language of the page
}
// A sentence of the library in the language of the page, or else in English.
export function said(sentence: string, language: Language): Said {
  if (language === "en") return { text: sentence, lang: undefined };
  const exact = sentences[sentence];
  if (exact) return { text: exact[language], lang: undefined };
  const numbers: string[] = [];
  const general = sentence.replace(/-?\d+(\.\d+)?(e[-+]?\d+)?/g, (number) => {
    numbers.push(number);
    return "{}";
  });
  const found = sentences[general];
  return found ? { text: found[language].replace(/\{\}/g, () => numbers.shift() ?? ""), lang: undefined } : { text: sentence, lang: "en" };
}

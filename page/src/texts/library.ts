// Translations of the library's texts: methods, options, rules of proofs. A sentence without a translation is shown in
// English and marked so; tests/apps/library_texts_test.py checks that no sentence is missing. {} stands for a number.
import type { Language } from "../store";

type Others = Record<Exclude<Language, "en">, string>;
const both = (es: string, ru: string): Others => ({ es, ru });

const sentences: Record<string, Others> = {
  // methods
  "support vector classification": both("clasificación con vectores soporte", "классификация опорными векторами"),
  "support vector classification with a bound ν on the fraction of errors": both("clasificación con vectores soporte con una cota ν para la fracción de errores", "классификация опорными векторами с границей ν на долю ошибок"),
  "linear support vector classification by coordinate descent": both("clasificación lineal con vectores soporte por descenso por coordenadas", "линейная классификация опорными векторами покоординатным спуском"),
  "support vector classification by stochastic subgradient descent": both("clasificación con vectores soporte por descenso de subgradiente estocástico", "классификация опорными векторами стохастическим субградиентным спуском"),
  "kernel logistic regression: classification with probabilities": both("regresión logística con kernel: clasificación con probabilidades", "ядерная логистическая регрессия: классификация с вероятностями"),
  "classification by the k nearest neighbours in feature space": both("clasificación por los k vecinos más cercanos en el espacio de características", "классификация по k ближайшим соседям в пространстве признаков"),
  "classification by the nearest class mean in feature space": both("clasificación por la media de clase más cercana en el espacio de características", "классификация по ближайшему среднему класса в пространстве признаков"),
  "classification by the nearest class medoid, one training example per class": both("clasificación por el medoide de clase más cercano, un ejemplo de entrenamiento por clase", "классификация по ближайшему медоиду класса, одному обучающему примеру на класс"),
  "kernel Fisher discriminant: the nearest class mean along separating directions": both("discriminante de Fisher con kernel: la media de clase más cercana en direcciones que separan", "ядерный дискриминант Фишера: ближайшее среднее класса по разделяющим направлениям"),
  "kernel logistic regression by the Nyström method, for millions of examples": both("regresión logística con kernel por el método de Nyström, para millones de ejemplos", "ядерная логистическая регрессия методом Нюстрёма, для миллионов примеров"),
  "support vector classification by the Nyström method, for millions of examples": both("clasificación con vectores soporte por el método de Nyström, para millones de ejemplos", "классификация опорными векторами методом Нюстрёма, для миллионов примеров"),
  "support vector classification, one model per cell, for millions of examples": both("clasificación con vectores soporte, un modelo por celda, para millones de ejemplos", "классификация опорными векторами, одна модель на ячейку, для миллионов примеров"),
  "kernel logistic regression, one model per cell, for millions of examples": both("regresión logística con kernel, un modelo por celda, para millones de ejemplos", "ядерная логистическая регрессия, одна модель на ячейку, для миллионов примеров"),
  "support vector regression": both("regresión con vectores soporte", "регрессия опорными векторами"),
  "support vector regression that chooses the width of its tube by ν": both("regresión con vectores soporte que elige el ancho de su tubo según ν", "регрессия опорными векторами, которая выбирает ширину трубки по ν"),
  "linear ridge regression": both("regresión ridge lineal", "линейная гребневая регрессия"),
  "kernel ridge regression": both("regresión ridge con kernel", "ядерная гребневая регрессия"),
  "kernel regression with a convex loss: Huber, quantile, Poisson and others": both("regresión con kernel y una pérdida convexa: Huber, cuantil, Poisson y otras", "ядерная регрессия с выпуклыми потерями: Хьюбера, квантильными, Пуассона и другими"),
  "regression by the mean of the k nearest neighbours in feature space": both("regresión por la media de los k vecinos más cercanos en el espacio de características", "регрессия по среднему k ближайших соседей в пространстве признаков"),
  "kernel ridge regression by the Nyström method, for millions of examples": both("regresión ridge con kernel por el método de Nyström, para millones de ejemplos", "ядерная гребневая регрессия методом Нюстрёма, для миллионов примеров"),
  "support vector regression, one model per cell, for millions of examples": both("regresión con vectores soporte, un modelo por celda, para millones de ejemplos", "регрессия опорными векторами, одна модель на ячейку, для миллионов примеров"),
  "kernel ridge regression, one model per cell, for millions of examples": both("regresión ridge con kernel, un modelo por celda, para millones de ejemplos", "ядерная гребневая регрессия, одна модель на ячейку, для миллионов примеров"),
  "one-class support vector machine: a region that contains most examples": both("máquina de vectores soporte de una clase: una región que contiene la mayoría de los ejemplos", "одноклассовая машина опорных векторов: область, содержащая большинство примеров"),
  "k-means clustering in feature space": both("agrupamiento k-means en el espacio de características", "кластеризация k-средних в пространстве признаков"),
  "k-medoids clustering in feature space by FasterPAM": both("agrupamiento k-medoids en el espacio de características por FasterPAM", "кластеризация k-медоидов в пространстве признаков методом FasterPAM"),
  "kernel k-means by the Nyström method, for millions of examples": both("k-means con kernel por el método de Nyström, para millones de ejemplos", "ядерный метод k-средних с методом Нюстрёма, для миллионов примеров"),
  "spectral clustering by the Nyström method, for millions of examples": both("agrupamiento espectral por el método de Nyström, para millones de ejemplos", "спектральная кластеризация методом Нюстрёма, для миллионов примеров"),
  "principal component analysis in feature space": both("análisis de componentes principales en el espacio de características", "анализ главных компонент в пространстве признаков"),
  "kernel principal components by the Nyström method, for millions of examples": both("componentes principales con kernel por el método de Nyström, para millones de ejemplos", "ядерные главные компоненты методом Нюстрёма, для миллионов примеров"),
  "Nyström features: vectors whose inner products approximate the kernel": both("características de Nyström: vectores cuyos productos internos aproximan el kernel", "признаки Нюстрёма: векторы, скалярные произведения которых приближают ядро"),
  "random Fourier features (rbf, laplacian, matern), count sketches (poly, linear)": both("características aleatorias de Fourier (rbf, laplacian, matern), bocetos de recuento (poly, linear)", "случайные признаки Фурье (rbf, laplacian, matern), счётные эскизы (poly, linear)"),
  "kernel density estimation": both("estimación de la densidad con kernel", "ядерная оценка плотности"),

  // options
  "penalty parameter C; larger: closer fit to the training data": both("parámetro de penalización C; mayor: ajuste más estrecho a los datos de entrenamiento", "параметр штрафа C; чем больше, тем точнее подгонка к обучающим данным"),
  "penalty parameter C; larger: closer fit to the training data; inf: hard margin": both("parámetro de penalización C; mayor: ajuste más estrecho a los datos de entrenamiento; inf: margen duro", "параметр штрафа C; чем больше, тем точнее подгонка к обучающим данным; inf: жёсткий зазор"),
  "upper bound on the fraction of errors, lower bound on that of support vectors": both("cota superior de la fracción de errores, cota inferior de la de vectores soporte", "верхняя граница доли ошибок, нижняя граница доли опорных векторов"),
  "half-width ε of the tube; smaller errors are not penalised": both("mitad ε del ancho del tubo; los errores menores no se penalizan", "половина ε ширины трубки; меньшие ошибки не штрафуются"),
  "largest violation of the KKT conditions at which the fit stops": both("mayor violación de las condiciones KKT con la que el ajuste termina", "наибольшее нарушение условий ККТ, при котором обучение останавливается"),
  "time limit in seconds, after which the fit returns its model so far; 0: none": both("límite de tiempo en segundos, tras el cual el ajuste devuelve el modelo obtenido hasta entonces; 0: ninguno", "предел времени в секундах, после которого обучение возвращает достигнутую модель; 0: без предела"),
  "maximum number of iterations in each binary problem; -1: no limit": both("número máximo de iteraciones en cada problema binario; -1: sin límite", "наибольшее число итераций в каждой двухклассовой задаче; -1: без предела"),
  "shrinking heuristic: skip variables that are expected to stay at a bound": both("heurística de reducción: omitir las variables que previsiblemente se quedarán en una cota", "эвристика сжатия: пропускать переменные, которые, вероятно, останутся на границе"),
  "more than two classes: one-vs-one (ovo) or one-vs-rest (ovr)": both("con más de dos clases: uno contra uno (ovo) o uno contra el resto (ovr)", "если классов больше двух: каждый с каждым (ovo) или каждый против остальных (ovr)"),
  "algorithm that solves the optimisation problem": both("algoritmo que resuelve el problema de optimización", "алгоритм, решающий задачу оптимизации"),
  "also estimate class probabilities, by cross-validation": both("estimar también las probabilidades de las clases, por validación cruzada", "оценить и вероятности классов, кросс-валидацией"),
  "random seed of the cross-validation folds": both("semilla aleatoria de las particiones de la validación cruzada", "начальное значение генератора случайных чисел для разбиений кросс-валидации"),
  "random seed of the cross-validation folds and of kernel_pegasos": both("semilla aleatoria de las particiones de la validación cruzada y de kernel_pegasos", "начальное значение генератора случайных чисел для разбиений кросс-валидации и для kernel_pegasos"),
  "loss function: ξ² (squared_hinge) or ξ (hinge)": both("función de pérdida: ξ² (squared_hinge) o ξ (hinge)", "функция потерь: ξ² (squared_hinge) или ξ (hinge)"),
  "½‖w‖² (l2) or ‖w‖₁ (l1), which sets the weights of some features to 0": both("½‖w‖² (l2) o ‖w‖₁ (l1), que anula los pesos de algunas características", "½‖w‖² (l2) или ‖w‖₁ (l1), которая обращает веса некоторых признаков в 0"),
  "fit an intercept, as the penalised weight of an additional constant feature": both("ajustar un término independiente, como peso penalizado de una característica constante adicional", "обучить свободный член как штрафуемый вес дополнительного постоянного признака"),
  "value s of the constant feature that is added for the intercept": both("valor s de la característica constante que se añade para el término independiente", "значение s постоянного признака, добавленного для свободного члена"),
  "fit an intercept b": both("ajustar un término independiente b", "обучить свободный член b"),
  "relative duality gap at which the fit stops": both("brecha de dualidad relativa con la que el ajuste termina", "относительный зазор двойственности, при котором обучение останавливается"),
  "maximum number of passes over the examples": both("número máximo de pasadas por los ejemplos", "наибольшее число проходов по примерам"),
  "random seed of the order of the examples": both("semilla aleatoria del orden de los ejemplos", "начальное значение генератора случайных чисел для порядка примеров"),
  "number of examples per step": both("número de ejemplos por paso", "число примеров за шаг"),
  "after each step project w onto a ball around the optimum; linear kernel only": both("tras cada paso proyectar w sobre una bola que contiene el óptimo; solo con kernel lineal", "после каждого шага проецировать w на шар, содержащий оптимум; только для линейного ядра"),
  "return the mean of w over the steps, not the last w": both("devolver la media de w sobre los pasos, no el último w", "вернуть среднее w по шагам, а не последнее w"),
  "maximum number of Newton steps": both("número máximo de pasos de Newton", "наибольшее число шагов Ньютона"),
  "number k of nearest neighbours": both("número k de vecinos más cercanos", "число k ближайших соседей"),
  "weights of the neighbours: all equal (uniform) or 1/distance (distance)": both("pesos de los vecinos: todos iguales (uniform) o 1/distancia (distance)", "веса соседей: все равны (uniform) или 1/расстояние (distance)"),
  "regularisation μ as a multiple of the mean diagonal entry of N": both("regularización μ como múltiplo de la media de la diagonal de N", "регуляризация μ в долях среднего диагонали N"),
  "maximum number of centres, the examples whose kernel functions span the model": both("número máximo de centros, los ejemplos cuyas funciones kernel generan el modelo", "наибольшее число центров — примеров, ядерные функции которых порождают модель"),
  "how the centres are chosen from the examples": both("cómo se eligen los centros entre los ejemplos", "как выбираются центры из примеров"),
  "row numbers of the centres, counted from 0": both("números de fila de los centros, contados desde 0", "номера строк центров, считая с 0"),
  "random seed of the choice of centres and of samples of examples": both("semilla aleatoria de la elección de los centros y de las muestras de ejemplos", "начальное значение генератора случайных чисел для выбора центров и выборок примеров"),
  "fraction of trace(K) that the centres may leave unexplained; 0: use n_centres": both("fracción de la traza de K que los centros pueden dejar sin explicar; 0: usar n_centres", "доля следа K, которую центры могут оставить необъяснённой; 0: использовать n_centres"),
  "also fit with twice as many centres and report how much predictions change": both("ajustar también con el doble de centros e indicar cuánto cambian las predicciones", "обучить и с вдвое большим числом центров и сообщить, насколько изменятся предсказания"),
  "loss function: squared hinge or hinge": both("función de pérdida: bisagra al cuadrado o bisagra", "функция потерь: квадрат кусочно-линейной или кусочно-линейная"),
  "approximate number of examples per cell, at most twice as many": both("número aproximado de ejemplos por celda, el doble como máximo", "примерное число примеров в ячейке, не больше чем вдвое"),
  "overlap of neighbouring cells, relative to the distance to the nearest centre": both("solapamiento de celdas vecinas, en relación con la distancia al centro más cercano", "перекрытие соседних ячеек относительно расстояния до ближайшего центра"),
  "tune the kernel parameters and C or alpha in each cell by cross-validation": both("ajustar los parámetros del kernel y C o alpha en cada celda por validación cruzada", "подбирать параметры ядра и C или alpha в каждой ячейке кросс-валидацией"),
  "random seed of the centres of the cells": both("semilla aleatoria de los centros de las celdas", "начальное значение генератора случайных чисел для центров ячеек"),
  "penalty α of the squared norm; larger: smoother function": both("penalización α de la norma al cuadrado; mayor: función más suave", "штраф α на квадрат нормы; чем больше, тем глаже функция"),
  "values of alpha to compare; the best one by score is used": both("valores de alpha que se comparan; se usa el mejor según score", "сравниваемые значения alpha; берётся лучшее по score"),
  "criterion that chooses alpha: leave-one-out (loo) or generalised (gcv) error": both("criterio que elige alpha: error dejando uno fuera (loo) o generalizado (gcv)", "критерий выбора alpha: ошибка скользящего контроля (loo) или обобщённая (gcv)"),
  "system of equations that is solved": both("sistema de ecuaciones que se resuelve", "система уравнений, которая решается"),
  "one penalty α for each column of targets": both("una penalización α por cada columna de objetivos", "свой штраф α для каждого целевого столбца"),
  "also compute the leave-one-out errors": both("calcular también los errores dejando uno fuera", "вычислить и ошибки скользящего контроля"),
  "store the factor of K + αI that variances of predictions need": both("guardar el factor de K + αI que necesitan las varianzas de las predicciones", "хранить множитель K + αI, нужный для дисперсий предсказаний"),
  "algorithm that solves the system of equations": both("algoritmo que resuelve el sistema de ecuaciones", "алгоритм, решающий систему уравнений"),
  "relative residual at which conjugate gradients stop": both("residuo relativo con el que terminan los gradientes conjugados", "относительная невязка, при которой останавливаются сопряжённые градиенты"),
  "maximum number of conjugate gradient steps, each a product with K": both("número máximo de pasos de gradientes conjugados, cada uno un producto con K", "наибольшее число шагов сопряжённых градиентов, каждый — умножение на K"),
  "loss function ℓ; logistic, hinge and squared_hinge need targets -1 and 1": both("función de pérdida ℓ; logistic, hinge y squared_hinge necesitan objetivos -1 y 1", "функция потерь ℓ; для logistic, hinge и squared_hinge нужны целевые значения -1 и 1"),
  "residual δ from which the Huber loss is linear instead of squared": both("residuo δ a partir del cual la pérdida de Huber es lineal en vez de cuadrática", "остаток δ, начиная с которого потери Хьюбера линейны, а не квадратичны"),
  "quantile τ that is predicted; 0.5: the median": both("cuantil τ que se predice; 0.5: la mediana", "предсказываемый квантиль τ; 0.5: медиана"),
  "number of clusters": both("número de grupos", "число кластеров"),
  "number of random starts; the best result is kept": both("número de comienzos aleatorios; se conserva el mejor resultado", "число случайных начал; остаётся лучший результат"),
  "number of random starts on a sample of the examples; the best one is used": both("número de comienzos aleatorios sobre una muestra de los ejemplos; se usa el mejor", "число случайных начал на выборке примеров; берётся лучшее"),
  "maximum number of iterations": both("número máximo de iteraciones", "наибольшее число итераций"),
  "random seed of the starting points": both("semilla aleatoria de los puntos de partida", "начальное значение генератора случайных чисел для начальных точек"),
  "how the initial medoids are chosen": both("cómo se eligen los medoides iniciales", "как выбираются начальные медоиды"),
  "relative decrease of the objective at which the iteration stops": both("descenso relativo del objetivo con el que termina la iteración", "относительное уменьшение целевой функции, при котором итерации останавливаются"),
  "maximum number of iterations, each a pass over the examples": both("número máximo de iteraciones, cada una una pasada por los ejemplos", "наибольшее число итераций, каждая — проход по примерам"),
  "maximum number of passes over the examples, and of iterations of k-means": both("número máximo de pasadas por los ejemplos, y de iteraciones de k-means", "наибольшее число проходов по примерам и итераций k-средних"),
  "number of components": both("número de componentes", "число компонент"),
  "number of components; 0: all whose eigenvalue exceeds the rounding error": both("número de componentes; 0: todas aquellas cuyo valor propio supera el error de redondeo", "число компонент; 0: все, чьё собственное значение больше ошибки округления"),
  "algorithm that solves the eigenvalue problem": both("algoritmo que resuelve el problema de valores propios", "алгоритм, решающий задачу на собственные значения"),
  "relative residual ‖Au - λu‖/λ₁ at which the iteration stops": both("residuo relativo ‖Au - λu‖/λ₁ con el que termina la iteración", "относительная невязка ‖Au - λu‖/λ₁, при которой итерации останавливаются"),
  "maximum number of passes over the kernel matrix K": both("número máximo de pasadas por la matriz del kernel K", "наибольшее число проходов по матрице ядра K"),
  "random seed of the starting vectors": both("semilla aleatoria de los vectores iniciales", "начальное значение генератора случайных чисел для начальных векторов"),
  "number D of features": both("número D de características", "число D признаков"),
  "how the random frequencies w are drawn (rbf, laplacian, matern)": both("cómo se sortean las frecuencias aleatorias w (rbf, laplacian, matern)", "как выбираются случайные частоты w (rbf, laplacian, matern)"),
  "random seed of the features": both("semilla aleatoria de las características", "начальное значение генератора случайных чисел для признаков"),

  // rules of proofs
  "linear: the inner product of the vectors themselves": both("lineal: el producto interno de los propios vectores", "линейное: скалярное произведение самих векторов"),
  "constant: the inner product of the one-dimensional feature √c": both("constante: el producto interno de la característica unidimensional √c", "константа: скалярное произведение одномерного признака √c"),
  "polynomial: a power of γ·linear + constant, by the rules for scale, sum and product": both("polinómico: una potencia de γ·lineal + constante, por las reglas de escala, suma y producto", "полиномиальное: степень γ·линейное + константа, по правилам умножения на число, суммы и произведения"),
  "Gaussian: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), the exponential of a kernel, conjugated by h(x) = exp(-γ‖x‖²)": both("gaussiano: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), la exponencial de un kernel, conjugada por h(x) = exp(-γ‖x‖²)", "гауссово: exp(-γ‖x-z‖²) = exp(-γ‖x‖²)·exp(2γ xᵀz)·exp(-γ‖z‖²), экспонента ядра, сопряжённая с h(x) = exp(-γ‖x‖²)"),
  "anisotropic Gaussian: the Gaussian pulled back by x ↦ L⁻¹x, Σ = LLᵀ": both("gaussiano anisótropo: el gaussiano compuesto con x ↦ L⁻¹x, Σ = LLᵀ", "анизотропное гауссово: гауссово после x ↦ L⁻¹x, Σ = LLᵀ"),
  "cosine: the normalised linear kernel": both("coseno: el kernel lineal normalizado", "косинус: нормированное линейное ядро"),
  "no rule: tanh has negative Taylor coefficients, so the sigmoid is not positive semidefinite in general": both("sin regla: tanh tiene coeficientes de Taylor negativos, así que la sigmoide no es en general semidefinida positiva", "нет правила: у tanh есть отрицательные коэффициенты Тейлора, поэтому сигмоида, вообще говоря, не положительно полуопределена"),
  "all subsets: the product over the features of 1 + xₐzₐ, each a sum of two kernels": both("todos los subconjuntos: el producto sobre las características de 1 + xₐzₐ, cada uno suma de dos kernels", "все подмножества: произведение по признакам 1 + xₐzₐ, каждое — сумма двух ядер"),
  "bilinear: A = RᵀR, so xᵀAz is the linear kernel pulled back by x ↦ Rx": both("bilineal: A = RᵀR, así que xᵀAz es el kernel lineal compuesto con x ↦ Rx", "билинейное: A = RᵀR, поэтому xᵀAz — линейное ядро после x ↦ Rx"),
  "Laplacian: the product over the features of e^(-γ|t|), the Fourier transform of the positive Cauchy density (Bochner)": both("laplaciano: el producto sobre las características de e^(-γ|t|), la transformada de Fourier de la densidad positiva de Cauchy (Bochner)", "лапласово: произведение по признакам e^(-γ|t|), преобразования Фурье положительной плотности Коши (Бохнер)"),
  "χ²: d = Σ(x-z)²/(x+z) is conditionally negative definite for x, z >= 0, so e^(-γd) is a kernel (Schoenberg)": both("χ²: d = Σ(x-z)²/(x+z) es condicionalmente definida negativa para x, z >= 0, así que e^(-γd) es un kernel (Schoenberg)", "χ²: d = Σ(x-z)²/(x+z) при x, z >= 0 условно отрицательно определена, поэтому e^(-γd) — ядро (Шёнберг)"),
  "histogram intersection: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt for a, b >= 0, summed over the features": both("intersección de histogramas: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt para a, b >= 0, sumado sobre las características", "пересечение гистограмм: min(a, b) = ∫ 1[t<=a]·1[t<=b] dt при a, b >= 0, сумма по признакам"),
  "Matérn: the Fourier transform of a positive density, a Student t (Bochner)": both("Matérn: la transformada de Fourier de una densidad positiva, una t de Student (Bochner)", "Матерна: преобразование Фурье положительной плотности, распределения Стьюдента (Бохнер)"),
  "rational quadratic: an integral of Gaussians with non-negative weights, the gamma density": both("cuadrático racional: una integral de gaussianos con pesos no negativos, la densidad gamma", "рациональное квадратичное: интеграл гауссовых с неотрицательными весами, гамма-плотностью"),
  "periodic: the Gaussian pulled back by xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)": both("periódico: el gaussiano compuesto con xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)", "периодическое: гауссово после xₐ ↦ (cos 2πxₐ/p, sin 2πxₐ/p)"),
  "scale: c·k is a kernel for c >= 0": both("escala: c·k es un kernel si c >= 0", "умножение на число: c·k — ядро при c >= 0"),
  "sum: k₁ + k₂ is a kernel": both("suma: k₁ + k₂ es un kernel", "сумма: k₁ + k₂ — ядро"),
  "product: k₁k₂ is a kernel (Schur)": both("producto: k₁k₂ es un kernel (Schur)", "произведение: k₁k₂ — ядро (Шур)"),
  "power: k^m is a product of kernels for integer m >= 0": both("potencia: k^m es un producto de kernels si m >= 0 es entero", "степень: k^m — произведение ядер при целом m >= 0"),
  "polynomial with non-negative coefficients of a kernel: sums of scaled powers": both("polinomio de un kernel con coeficientes no negativos: sumas de potencias escaladas", "многочлен от ядра с неотрицательными коэффициентами: суммы степеней с множителями"),
  "all coefficients >= 0": both("todos los coeficientes >= 0", "все коэффициенты >= 0"),
  "exp: the limit of polynomials Σ kⁱ/i! with non-negative coefficients": both("exp: el límite de los polinomios Σ kⁱ/i!, de coeficientes no negativos", "exp: предел многочленов Σ kⁱ/i! с неотрицательными коэффициентами"),
  "normalised: conjugation by h(x) = 1/√k(x,x), 0 where k(x,x) = 0": both("normalizado: conjugación por h(x) = 1/√k(x,x), 0 donde k(x,x) = 0", "нормированное: сопряжение с h(x) = 1/√k(x,x), 0 там, где k(x,x) = 0"),
  "no rule: the factor c = {} is negative": both("sin regla: el factor c = {} es negativo", "нет правила: множитель c = {} отрицателен"),
  "no rule: k^m with m = {}, not an integer >= {}, need not be a kernel": both("sin regla: k^m con m = {}, que no es un entero >= {}, no tiene por qué ser un kernel", "нет правила: k^m с m = {}, не целым числом >= {}, ядром быть не обязано"),
  "no rule: coefficient c{} = {} is negative": both("sin regla: el coeficiente c{} = {} es negativo", "нет правила: коэффициент c{} = {} отрицателен"),
  "conjugation: h(x)·k(x,z)·h(z) is a kernel for any function h": both("conjugación: h(x)·k(x,z)·h(z) es un kernel para cualquier función h", "сопряжение: h(x)·k(x,z)·h(z) — ядро для любой функции h"),
  "pull-back: k of a projection onto some features is a kernel": both("composición: k de una proyección sobre algunas características es un kernel", "композиция: k от проекции на часть признаков — ядро"),
  "pull-back: k of vectors with rescaled features is a kernel": both("composición: k de vectores con características reescaladas es un kernel", "композиция: k от векторов с умноженными признаками — ядро"),
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
